import FerryCore
import Foundation
import Synchronization

/// A task's counts and its progress.
extension URLSessionTask {
    /// The handler that takes the result in place of the delegate.
    var handler: TaskHandler? { storage.withLock(\.handler) }

    /// Whether a completion handler takes the result, so that the delegate is not told of it.
    var handlerTakes: Bool { storage.withLock { $0.handler != nil || $0.hasDelivered } }

    /// Takes the file that the delegate was given and has left where it was; the task no longer keeps it.
    func takeLeftFile() -> TemporaryFile? {
        storage.withLock { storage in
            defer { storage.leftFile = nil }
            return storage.leftFile
        }
    }

    /// Notes how much has been sent; returns what was known before.
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

    /// Notes how much has been received; returns what was known before.
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

    /// Brings the progress up to date, if the app has asked for it.
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
    /// Both bodies together; the total is -1 while neither length is known.
    var units: (completed: Int64, total: Int64) {
        let known = [expectedToSend, expectedToReceive].filter { $0 > 0 }
        let isUnknown = known.isEmpty && expectedToReceive < 0
        return (sent + received, isUnknown ? -1 : known.reduce(0) { $0.addingSaturated($1) })
    }

    /// The units of a task that has succeeded: all of them are done, also with an empty body.
    var finalUnits: (completed: Int64, total: Int64) {
        let all = max(sent + received, 1)
        return (all, all)
    }
}
