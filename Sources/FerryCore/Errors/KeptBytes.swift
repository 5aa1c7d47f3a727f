// Ferry: FerryCore
// What a transfer that ended with an error leaves on disk.

/// What a transfer that ended with an error leaves on disk.
package enum KeptBytes: String, Sendable {
    /// Nothing.
    case none
    /// The partial file and its durable ranges: a later try goes on from them.
    case partial
    /// A complete, verified partial file: a later try with another destination places it without fetching.
    case whole
}
