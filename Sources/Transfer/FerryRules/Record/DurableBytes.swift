package import FerryCore

/// The durable bytes of a partial file, and their pending digests.
package struct DurableBytes: Hashable, Sendable {
    package var ranges = ByteRangeSet()
    package var pendingDigests = PendingDigests()

    package init() {}
}
