// Ferry: FerryCore
// What the bytes on disk are good for.

/// What the bytes on disk are good for when a response arrives.
package enum DiskState: Hashable, Sendable {
    /// No bytes.
    case nothing
    /// Bytes, and an expected digest of the whole file that judges whatever is joined to them (D of the table).
    case digest
    /// Bytes of a strong identity, no digest (S of the table).
    case strong
    /// Bytes that nothing can be joined to (W of the table).
    case weak

    package init(ranges: ByteRangeSet, identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        self = ranges.isEmpty ? .nothing : Self(identity: identity, hasExpectedDigest: hasExpectedDigest)
    }

    /// What any bytes of this identity are good for.
    package init(identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        if hasExpectedDigest {
            self = .digest
        } else {
            self = identity?.strongValidator == nil ? .weak : .strong
        }
    }
}
