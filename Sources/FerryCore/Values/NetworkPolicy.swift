// Ferry: FerryCore
// Which networks a transfer may use, and when.

/// Which networks a transfer may use.
package struct NetworkPolicy: Hashable, Codable, Sendable {
    package var allowsCellular: Bool
    package var allowsExpensive: Bool
    package var allowsConstrained: Bool
    /// Whether it runs only on external power and on a network that is not expensive.
    package var isDiscretionary: Bool
    /// Whether it waits for a network that it may use; else it fails with `offline`.
    package var waits: Bool

    package init(
        allowsCellular: Bool = true, allowsExpensive: Bool = true, allowsConstrained: Bool = true,
        isDiscretionary: Bool = false, waits: Bool = true
    ) {
        self.allowsCellular = allowsCellular
        self.allowsExpensive = allowsExpensive
        self.allowsConstrained = allowsConstrained
        self.isDiscretionary = isDiscretionary
        self.waits = waits
    }

    private enum CodingKeys: String, CodingKey {
        case waits
        case allowsCellular = "allows_cellular"
        case allowsExpensive = "allows_expensive"
        case allowsConstrained = "allows_constrained"
        case isDiscretionary = "discretionary"
    }
}
