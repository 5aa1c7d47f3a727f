@testable import FerryStore
import Synchronization
import Foundation

/// Records a journal's steps, and blocks a body until a number of callers are queued behind it.
final class Gate: Sendable {
    private let seen = Mutex<[JournalStep]>([])
    private let opened = DispatchSemaphore(value: 0)
    private let fault = Mutex<(step: JournalStep, code: Int32, times: Int)?>(nil)
    private let opensAfter: Int
    /// Yields an element for each transaction that begins.
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation

    /// - Parameter opensAfter: Number of queued callers at which the gate opens.
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
                fault = due.times > 1 ? (step, due.code, due.times - 1) : nil
                return due.code
            }
        }
    }

    func wait() { opened.wait() }

    /// Fails the next steps of this kind with an SQLite result code.
    func fail(at step: JournalStep, with code: Int32, times: Int = 1) { fault.withLock { $0 = (step, code, times) } }

    /// Number of queued callers.
    var queued: Int { seen.withLock { seen in seen.count { $0 == .queued } } }

    /// Number of bodies in each transaction.
    var transactions: [Int] {
        seen.withLock { seen in
            seen.compactMap { step in
                if case .begins(let bodies) = step { bodies } else { nil }
            }
        }
    }
}
