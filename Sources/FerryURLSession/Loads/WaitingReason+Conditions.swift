// Ferry: FerryURLSession
// What a task without a transfer waits for.

import FerryCore

extension WaitingReason {
    /// A condition that is in the way; nil for what is none.
    init?(condition: WaitReason) {
        switch condition {
        case .network: self = .connectivity
        case .cellular: self = .cellular
        case .expensive: self = .expensive
        case .constrained: self = .constrained
        case .power: self = .externalPower
        default: return nil
        }
    }
}
