// Ferry: Ferry
// How the closures of a task's end are called.

import Foundation
import Synchronization

/// Calls the closures of a task's end, each at most once for an end.
enum TaskEnds {
    /// Adds the call of one closure to its line.
    ///
    /// Whether it is called is decided when its turn comes: not if another has taken its place, and neither success nor
    /// failure beside a completion.
    @discardableResult
    static func deliver(
        _ slot: Slot<DownloadTask>, of task: DownloadTask, status: Status, after: DeliveryMark? = nil
    ) -> DeliveryMark? {
        Deliveries.of(task).add(slot.line, after: after) {
            let isCurrent = task.state.withLock { $0.slots.end(status)?.number == slot.number }
            if isCurrent { slot.call(task) }
        }
    }
}

extension Deliveries {
    /// Those of tasks that belong to no manager.
    private static let detached = Deliveries(
        operationQueue: DispatchQueue(label: "Ferry.DownloadTask.operationQueue"))

    /// Those that a task's closures are among.
    static func of(_ task: DownloadTask) -> Deliveries { task.session?.deliveries ?? detached }
}
