import Foundation
import Synchronization

/// The closures of a task or of a manager, one for each kind.
struct Slots<Value>: Sendable {
    private(set) var progress: Slot<Value>?
    private(set) var success: Slot<Value>?
    private(set) var failure: Slot<Value>?
    private(set) var completion: Slot<Value>?
    private var number = 0

    enum Kind: Sendable {
        case progress, success, failure, completion

        /// Whether a closure of this kind is for an end in a state.
        func isFor(_ end: Status) -> Bool {
            switch self {
            case .completion: true
            case .success: end == .succeeded
            case .failure: end != .succeeded
            case .progress: false
            }
        }
    }

    /// Puts a closure in its place, and says which it is.
    mutating func set(_ kind: Kind, onMainQueue: Bool, _ call: @escaping Handler<Value>) -> Slot<Value> {
        number += 1
        let slot = Slot(line: DeliveryQueue(onMainQueue: onMainQueue), call: call, number: number)
        switch kind {
        case .progress: progress = slot
        case .success: success = slot
        case .failure: failure = slot
        case .completion: completion = slot
        }
        return slot
    }

    /// The closure that an end calls: with a completion, neither success nor failure is called.
    func end(_ status: Status) -> Slot<Value>? {
        if let completion { return completion }
        return status == .succeeded ? success : failure
    }
}

/// A closure that was registered for a kind of callback; registering another takes its place.
struct Slot<Value>: Sendable {
    let line: DeliveryQueue
    let call: Handler<Value>
    /// Told from the closures before and after it in the same place.
    let number: Int
}

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
            let isCurrent = task.state.withLock { $0.closures.slots.end(status)?.number == slot.number }
            if isCurrent { slot.call(task) }
        }
    }
}

extension Deliveries {
    /// The deliveries of tasks that belong to no manager.
    private static let detached = Deliveries(
        operationQueue: DispatchQueue(label: "Ferry.DownloadTask.operationQueue"))

    /// The deliveries that a task's closures are among.
    static func of(_ task: DownloadTask) -> Deliveries { task.session?.deliveries ?? detached }
}
