// Ferry: FerryURLSession
// Who is told.

import Foundation

/// Who is told of a task's events: its own delegate, and for what that one does not implement the session's (statement 42).
struct Recipients {
    /// The first one first.
    let all: [any URLSessionDelegate]

    init(_ task: URLSessionTask?, _ session: URLSession) {
        all = [task?.delegate, session.delegate].compactMap(\.self)
    }

    /// Makes a call on the first delegate that implements it.
    ///
    /// - Returns: whether any does.
    @discardableResult
    func tell<Kind>(_ kind: Kind.Type, _ call: (Kind) -> Void) -> Bool {
        for delegate in all {
            guard let delegate = delegate as? Kind else { continue }
            if DelegateProbe.call({ call(delegate) }) { return true }
        }
        return false
    }
}
