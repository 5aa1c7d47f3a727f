@testable import FerryStore
import Synchronization
import Foundation

/// Records the steps of a journal, and holds a body until a number of callers wait behind it.
final class Gate: Sendable {
    private let seen = Mutex<[JournalStep]>([])
    private let opened = DispatchSemaphore(value: 0)
    private let fault = Mutex<(step: JournalStep, code: Int32)?>(nil)
    private let opensAfter: Int
    /// An element for each transaction that has begun.
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    /// - Parameter opensAfter: How many callers have come when the gate opens.
    init(opensAfter: Int = .max) {
        self.opensAfter = opensAfter
        (begun, begin) = AsyncStream.makeStream()
    }

    var probe: JournalProbe {
        { [self] step in
            let queued = seen.withLock { seen in
                seen.append(step)
                return seen.count { $0 == .queued }
            }
            if step == .queued, queued == opensAfter { opened.signal() }
            if case .begins = step { begin.yield() }
            return fault.withLock { fault in
                guard let due = fault, due.step == step else { return nil }
                fault = nil
                return due.code
            }
        }
    }

    func wait() { opened.wait() }

    /// Fails the next step of this kind with a result code of SQLite.
    func fail(at step: JournalStep, with code: Int32) { fault.withLock { $0 = (step, code) } }

    /// How many callers have come.
    var queued: Int { seen.withLock { seen in seen.count { $0 == .queued } } }

    /// How many bodies each transaction had.
    var transactions: [Int] {
        seen.withLock { seen in
            seen.compactMap { step in
                if case .begins(let bodies) = step { bodies } else { nil }
            }
        }
    }
}
