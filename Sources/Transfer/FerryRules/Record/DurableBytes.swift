package import FerryCore

/// The durable bytes of a partial file, and their digests.
package struct DurableBytes: Hashable, Sendable {
    package var ranges = ByteRangeSet() {
        didSet { if let prefix, prefix.count > ranges.contiguousEnd(from: 0) { self.prefix = nil } }
    }
    package var pendingDigests = PendingDigests()
    /// The digest of the first of these bytes, where nothing else proves that a file has them.
    package var prefix: PrefixDigest? {
        didSet {
            guard let prefix, !(0...ranges.contiguousEnd(from: 0)).contains(prefix.count) else { return }
            self.prefix = nil
        }
    }

    package init() {}
}
