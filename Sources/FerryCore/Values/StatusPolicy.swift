// Ferry: FerryCore
// Which responses are results.

/// Which responses are results (docs/behaviour/transfers.md#R11).
package enum StatusPolicy: String, CaseIterable, Codable, Sendable {
    /// Success statuses alone; every other one fails the transfer.
    case strict
    /// Every final response is the result and its body the file, as URLSession does it.
    case any
}
