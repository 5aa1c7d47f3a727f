package import FerryCore
import FerryFoundation

/// A response's description of its resource.
///
/// Bytes of two responses belong to one file only if their identities agree. See ``ResumeTable``.
package struct ResourceIdentity: Hashable, Codable, Sendable {
    /// The origin of the final response.
    package var origin: Origin
    /// The `ETag` as sent, strong or weak.
    package var etag: String?
    package var lastModified: String?
    package var date: String?
    package var completeLength: Int64?
    package var contentType: String?
    /// Digests of the whole file from the server.
    package var reprDigests: [Checksum]

    package init(
        origin: Origin, etag: String? = nil, lastModified: String? = nil, date: String? = nil,
        completeLength: Int64? = nil, contentType: String? = nil, reprDigests: [Checksum] = []
    ) {
        self.origin = origin
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
        self.completeLength = completeLength
        self.contentType = contentType
        self.reprDigests = reprDigests
    }

    package init(_ head: ResponseHead) {
        self.init(
            origin: head.origin, etag: head.value("ETag"), lastModified: head.value("Last-Modified"),
            date: head.value("Date"), completeLength: head.completeLength, contentType: head.value("Content-Type"),
            reprDigests: DigestFields(head).representation)
    }

    private enum CodingKeys: String, CodingKey {
        case origin, etag, date
        case lastModified = "last_modified"
        case completeLength = "complete_length"
        case contentType = "content_type"
        case reprDigests = "repr_digests"
    }
}

extension ResourceIdentity {
    /// The validator that proves that bytes of a later response belong to the same file, or nil
    /// (docs/behaviour/transfers.md#R1).
    ///
    /// A date counts only without an ETag of any kind, and only if the resource had not changed in the second in which
    /// it was served (RFC 9110 §8.8.2.2).
    package var strongValidator: Validator? {
        if let etag { return EntityTag(etag).isStrong ? .etag(etag) : nil }
        guard let lastModified, let modified = HTTPDate.parse(lastModified),
            let date, let served = HTTPDate.parse(date), served.timeIntervalSince(modified) >= 1
        else { return nil }
        return .date(lastModified)
    }

    /// Whether another response has the same strong ETag (docs/behaviour/transfers.md#R3).
    ///
    /// Between two origins the tag alone is not enough: the complete length, and Last-Modified if both have it, must be
    /// equal too.
    package func hasSameStrongTag(as other: ResourceIdentity) -> Bool {
        guard let etag, etag == other.etag, EntityTag(etag).isStrong else { return false }
        if origin == other.origin { return true }
        guard let completeLength, completeLength == other.completeLength else { return false }
        guard let lastModified, let otherLastModified = other.lastModified else { return true }
        return lastModified == otherLastModified
    }

    /// Whether the head of a part contradicts this strong identity (docs/behaviour/transfers.md#row-15).
    ///
    /// A part from the same origin may omit what `If-Range` has already proved. A part from another origin may not,
    /// since a validator means nothing there.
    package func isContradicted(by part: ResourceIdentity) -> Bool {
        if hasOtherDigest(than: part) { return true }
        if origin != part.origin { return !hasSameStrongTag(as: part) }
        if let partTag = part.etag { return etag.map { $0 != partTag } ?? false }
        return part.lastModified.map { $0 != lastModified } ?? false
    }

    /// Whether a whole response is of another version, by tag, date, length or digest.
    ///
    /// Properties that only one of them has are ignored.
    package func isOtherVersion(than whole: ResourceIdentity) -> Bool {
        if hasOtherDigest(than: whole) { return true }
        if let completeLength, let other = whole.completeLength, completeLength != other { return true }
        if let etag, let other = whole.etag { return etag != other }
        if let lastModified, let other = whole.lastModified { return lastModified != other }
        return false
    }

    /// Whether both have a digest of one algorithm with different values (docs/behaviour/transfers.md#I3).
    package func hasOtherDigest(than other: ResourceIdentity) -> Bool {
        reprDigests.contains { digest in
            other.reprDigests.contains { $0.algorithm == digest.algorithm && $0.hex != digest.hex }
        }
    }

    /// This identity, completed with properties of a later response of the same resource.
    package func completed(by other: ResourceIdentity) -> ResourceIdentity {
        var result = self
        result.completeLength = completeLength ?? other.completeLength
        result.add(other.reprDigests)
        return result
    }

    /// Adds the digests with other algorithms than those it has.
    package mutating func add(_ digests: [Checksum]) {
        for digest in digests where !reprDigests.contains(where: { $0.algorithm == digest.algorithm }) {
            reprDigests.append(digest)
        }
    }
}

/// The value of an `ETag` field (RFC 9110 §8.8.3), unchanged.
package struct EntityTag: Hashable, Sendable {
    package enum Strength: Hashable, Sendable {
        /// Identifies one sequence of bytes.
        case strong
        /// May identify different bytes, so it cannot guard a range (RFC 9110 §8.8.1).
        case weak
        /// Unquoted, empty, or with characters that are invalid in a tag.
        case invalid
    }

    package let raw: String
    package let strength: Strength

    package init(_ raw: String) {
        self.raw = raw
        let isWeak = raw.hasPrefix("W/")
        let quoted = isWeak ? raw.dropFirst(2) : raw[...]
        strength = Self.isQuotedTag(quoted) ? (isWeak ? .weak : .strong) : .invalid
    }

    package var isStrong: Bool { strength == .strong }

    private static func isQuotedTag(_ text: Substring) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count > 2, scalars.first == "\"", scalars.last == "\"" else { return false }
        // U+FFFD stands for bytes lost in decoding: the tag cannot be sent back unchanged.
        return scalars.dropFirst().dropLast().allSatisfy {
            $0.value > 0x20 && $0 != "\"" && !(0x7F...0x9F ~= $0.value) && $0.value != 0xFFFD
        }
    }
}

/// A strong validator, exactly as sent in `If-Range` (RFC 9110 §13.1.5).
package enum Validator: Hashable, Sendable {
    case etag(String)
    case date(String)

    package var fieldValue: String {
        switch self {
        case .etag(let value), .date(let value): value
        }
    }
}
