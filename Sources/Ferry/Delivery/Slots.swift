// Ferry: Ferry
// The closures of a task or of a manager.

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
        let slot = Slot(line: DeliveryLine(onMainQueue: onMainQueue), call: call, number: number)
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
