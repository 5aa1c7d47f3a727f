// Ferry: FerryCore
// What happens when the destination's name is taken.

/// What happens when a file of the destination's name is there already.
package enum ConflictPolicy: String, CaseIterable, Codable, Sendable {
    /// Another name: `name-1.ext`, up to 9999.
    case unique
    /// The transfer fails with `destination_exists`.
    case fail
    /// The new file takes the old one's place, in one step, once it is whole.
    case replace
    /// Nothing is fetched; the transfer has succeeded.
    case skip
    /// Fetched only if the server has another version; then as `replace`.
    case update
}
