import Foundation
import Synchronization

/// The closures of a task or a manager, one per kind.
struct Slots<Value>: Sendable {
    private(set) var progress: Slot<Value>?
    private(set) var success: Slot<Value>?
    private(set) var failure: Slot<Value>?
    private(set) var completion: Slot<Value>?
    private var number = 0

    enum Kind: Sendable {
        case progress, success, failure, completion

        /// Whether a closure of this kind applies to an end state.
        func isFor(_ end: Status) -> Bool {
            switch self {
            case .completion: true
            case .success: end == .succeeded
            case .failure: end != .succeeded
            case .progress: false
            }
        }
    }

    /// Sets a closure and returns its slot.
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

    /// Returns the closure for an end state. With a completion, neither success nor failure is called.
    func end(_ status: Status) -> Slot<Value>? {
        if let completion { return completion }
        return status == .succeeded ? success : failure
    }
}

/// A registered callback closure. Registering another one replaces it.
struct Slot<Value>: Sendable {
    let line: DeliveryQueue
    let call: Handler<Value>
    /// Distinguishes the closure from earlier and later ones in the same slot.
    let number: Int
}

/// Calls the closures of a task's end, each at most once per end.
enum TaskEnds {
    /// Enqueues the call of a closure.
    ///
    /// Whether it is called is decided when it is dequeued: not if another has replaced it, and neither success nor
    /// failure if there is a completion.
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
    /// The queue of tasks without a manager.
    private static let detached = Deliveries(
        operationQueue: DispatchQueue(label: "Ferry.DownloadTask.operationQueue"))

    /// Returns the delivery queues of a task's closures.
    static func of(_ task: DownloadTask) -> Deliveries { task.session?.deliveries ?? detached }
}
