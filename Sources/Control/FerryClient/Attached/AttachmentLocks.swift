import FerryCore
import Synchronization

/// Per-session locks within a process. One object holds a session at a time, and the next one gets it when that object
/// leaves (docs/behaviour/url-session.md#10).
package final class AttachmentLocks: Sendable {
    private struct Line {
        let holder: AttachedSession
        var waiting: [(session: AttachedSession, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let lines = Mutex<[SessionID: Line]>([:])

    package init() {}

    /// Returns once the object holds its session, or has given up waiting.
    ///
    /// - Parameter waits: Called with the objects that have the session before this one, if it has to wait for them.
    func pass(_ session: AttachedSession, waits: ([AttachedSession]) -> Void) async {
        let id = session.place.session
        await withCheckedContinuation { continuation in
            let (isOver, earlier) = lines.withLock { lines -> (Bool, [AttachedSession]) in
                if session.isClosed { return (true, []) }
                guard let line = lines[id] else {
                    lines[id] = Line(holder: session)
                    return (true, [])
                }
                if line.holder === session { return (true, []) }
                lines[id]?.waiting.append((session, continuation))
                return (false, [line.holder] + line.waiting.map(\.session))
            }
            if !earlier.isEmpty { waits(earlier) }
            if isOver { continuation.resume() }
        }
    }

    /// Resumes a waiting object that gave up waiting for the lock.
    func giveUp(_ session: AttachedSession) {
        let continuations = lines.withLock { lines in
            let id = session.place.session
            let over = lines[id]?.waiting.filter { $0.session === session } ?? []
            lines[id]?.waiting.removeAll { $0.session === session }
            return over.map(\.continuation)
        }
        for continuation in continuations { continuation.resume() }
    }

    /// Passes an object's session to the next waiting object.
    func leave(_ session: AttachedSession) {
        let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
            let id = session.place.session
            guard var line = lines[id], line.holder === session else { return nil }
            guard !line.waiting.isEmpty else {
                lines[id] = nil
                return nil
            }
            let next = line.waiting.removeFirst()
            lines[id] = Line(holder: next.session, waiting: line.waiting)
            return next.continuation
        }
        next?.resume()
    }
}
