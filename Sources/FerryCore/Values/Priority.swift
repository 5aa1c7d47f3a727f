// Ferry: FerryCore
// Which transfers go first.

/// Which transfers get slots and, under a rate limit, shares first.
package enum Priority: String, CaseIterable, Codable, Comparable, Sendable {
    case low, normal, high

    /// The share of a limited rate, and the order of starts.
    package var weight: Int {
        switch self {
        case .low: 1
        case .normal: 2
        case .high: 4
        }
    }

    package static func < (left: Priority, right: Priority) -> Bool { left.weight < right.weight }
}
