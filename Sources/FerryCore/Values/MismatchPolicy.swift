// Ferry: FerryCore
// What happens to a file with another digest.

/// What happens to a whole file that has another digest than the one that was given.
package enum MismatchPolicy: String, CaseIterable, Codable, Sendable {
    /// The transfer fails with `digest_mismatch`; the bytes go.
    case fail
    /// The file is placed all the same, and the transfer tells the digests that it has.
    case keep
}
