// Ferry: FerryCore
// Statuses whose responses are results.

/// Final statuses whose responses are results, from `lower` up to, but not including, `upper`.
package struct StatusRange: Hashable, Codable, Sendable {
    package var lower: Int
    package var upper: Int

    /// The statuses of success.
    package static let success = StatusRange(lower: 200, upper: 300)

    package init(lower: Int, upper: Int) {
        self.lower = lower
        self.upper = upper
    }

    package func contains(_ status: Int) -> Bool { lower <= status && status < upper }
}
