// Ferry: FerryAPI
// How large bodies may be.

/// How many bytes the bodies of requests may have.
package enum BodyLimit {
    /// One JSON value, or one line of a batch.
    package static let value = 4 << 20
    /// All lines of a batch, or the one value of another body about many transfers.
    package static let batch = 64 << 20
    /// All lines of a list of URLs.
    package static let list = 32 << 20
}
