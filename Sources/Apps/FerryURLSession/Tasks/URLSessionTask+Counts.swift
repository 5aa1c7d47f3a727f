import FerryCore
import Foundation
import Synchronization

/// A task's byte counts and progress.
extension URLSessionTask {
    /// The handler that receives the result instead of the delegate.
    var handler: TaskHandler? { storage.withLock(\.handler) }

    /// Whether a completion handler receives the result instead of the delegate.
    var handlerTakes: Bool { storage.withLock { $0.handler != nil || $0.hasDelivered } }

    /// Takes ownership of the file that the delegate received and did not move.
    func takeLeftFile() -> TemporaryFile? {
        storage.withLock { storage in
            defer { storage.leftFile = nil }
            return storage.leftFile
        }
    }

    /// Records the sent bytes and returns the previous total.
    func note(sent total: Int64, expected: Int64) -> Int64 {
        let before = storage.withLock { storage in
            defer {
                storage.counts.sent = total
                storage.counts.expectedToSend = expected
            }
            return storage.counts.sent
        }
        moveProgress()
        return before
    }

    /// Records the received bytes and returns the previous total.
    func note(received total: Int64, expected: Int64) -> Int64 {
        let before = storage.withLock { storage in
            defer {
                storage.counts.received = total
                storage.counts.expectedToReceive = expected
            }
            return storage.counts.received
        }
        moveProgress()
        return before
    }

    /// Updates the progress if the app has requested it.
    func moveProgress() {
        let (progress, counts) = storage.withLock { ($0.progress, $0.counts) }
        guard let progress else { return }
        (progress.completedUnitCount, progress.totalUnitCount) = counts.units
    }

    func finishProgress(_ isSuccess: Bool) {
        let (progress, counts) = storage.withLock { ($0.progress, $0.counts) }
        guard let progress, isSuccess else { return }
        (progress.completedUnitCount, progress.totalUnitCount) = counts.finalUnits
    }
}

extension TaskCounts {
    /// The units of both bodies; the total is -1 while neither length is known.
    var units: (completed: Int64, total: Int64) {
        let known = [expectedToSend, expectedToReceive].filter { $0 > 0 }
        let isUnknown = known.isEmpty && expectedToReceive < 0
        return (sent + received, isUnknown ? -1 : known.reduce(0) { $0.addingSaturated($1) })
    }

    /// The units of a successful task. All are completed, even with an empty body.
    var finalUnits: (completed: Int64, total: Int64) {
        let all = max(sent + received, 1)
        return (all, all)
    }
}
