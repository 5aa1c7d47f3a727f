package import FerryCore

/// The next request's range and conditions (docs/behaviour/transfers.md#requests).
package struct PlannedRequest: Hashable, Sendable {
    package let asked: Asked
    package let fields: [HeaderField]

    /// Plans the next request. Returns nil if all bytes of a known length are present.
    package init?(_ situation: RequestSituation) {
        guard !situation.isComplete else { return nil }
        let asked = Self.asked(situation)
        self.asked = asked
        self.fields = Self.fields(asked, situation)
    }

    private static func asked(_ situation: RequestSituation) -> Asked {
        range(situation) ?? (isConditional(situation) ? .conditional : .whole)
    }

    /// Request kind R or U of the table, or nil if no range may be requested.
    private static func range(_ situation: RequestSituation) -> Asked? {
        guard situation.raw != .verbatim, !situation.rangesOff else { return nil }
        // A segment is requested once a response head has identified its file, even before the first byte is stored.
        guard !situation.ranges.isEmpty || (situation.segment != nil && situation.identity != nil) else { return nil }
        let disk = DiskState(identity: situation.identity, hasExpectedDigest: situation.hasExpectedDigest)
        guard disk == .strong || disk == .digest else { return nil }
        if case .ownRange(let own) = situation.raw,
            own.start(completeLength: situation.identity?.completeLength) == nil
        {
            return nil
        }
        guard let missing = missing(situation) else { return nil }
        return .range(
            from: missing.from, to: missing.to,
            ifRange: situation.isUnconditional ? nil : situation.identity?.strongValidator)
    }

    /// The first missing part, with an open end if nothing behind it is on disk.
    private static func missing(_ situation: RequestSituation) -> (from: Int64, to: Int64?)? {
        if let segment = situation.segment {
            guard let gap = situation.ranges.gaps(in: segment).first else { return nil }
            return (gap.lowerBound, gap.upperBound == situation.fileLength ? nil : gap.upperBound - 1)
        }
        let from = situation.ranges.contiguousEnd(from: 0)
        let next = situation.ranges.ranges.first { $0.lowerBound > from }
        return (from, next.map { $0.lowerBound - 1 })
    }

    private static func isConditional(_ situation: RequestSituation) -> Bool {
        guard situation.raw == nil, situation.ranges.isEmpty, let existing = situation.existing else { return false }
        return existing.etag != nil || existing.lastModified != nil
    }

    private static func fields(_ asked: Asked, _ situation: RequestSituation) -> [HeaderField] {
        var fields: [HeaderField] = []
        switch asked {
        case .whole:
            if case .ownRange(let own) = situation.raw {
                fields.append(HeaderField(name: "Range", value: own.fieldValue))
            }
        case .range(let from, let to, let ifRange):
            fields.append(HeaderField(name: "Range", value: rangeValue(from: from, to: to, situation)))
            if let ifRange { fields.append(HeaderField(name: "If-Range", value: ifRange.fieldValue)) }
        case .conditional:
            if let etag = situation.existing?.etag {
                fields.append(HeaderField(name: "If-None-Match", value: etag))
            } else if let lastModified = situation.existing?.lastModified {
                fields.append(HeaderField(name: "If-Modified-Since", value: lastModified))
            }
        }
        if !asked.isRange, situation.raw == nil, !situation.hasExpectedDigest {
            fields.append(HeaderField(name: "Want-Repr-Digest", value: "sha-256=10, sha-512=5"))
        }
        if situation.bypassesCaches { fields.append(HeaderField(name: "Cache-Control", value: "no-cache")) }
        return fields
    }

    /// A range of the file as a range of the resource, of which the file may be a part.
    private static func rangeValue(from: Int64, to: Int64?, _ situation: RequestSituation) -> String {
        guard case .ownRange(let own) = situation.raw else { return "bytes=\(from)-\(to.map(String.init) ?? "")" }
        let start = own.start(completeLength: situation.identity?.completeLength) ?? 0
        let last = to.map { start + $0 } ?? own.last
        return "bytes=\(start + from)-\(last.map(String.init) ?? "")"
    }
}

/// The state on disk when a request is planned.
package struct RequestSituation: Hashable, Sendable {
    package var ranges = ByteRangeSet()
    package var identity: ResourceIdentity?
    /// Whether the caller gave a digest of the whole file.
    package var hasExpectedDigest = false
    package var expectedSize: Int64?
    /// The recorded identity of the file at the destination. Only with conflict policy `update`.
    package var existing: ResourceIdentity?
    package var raw: RawRequest?
    /// Whether range requests are disabled, or a restart was decided.
    package var rangesOff = false
    /// Whether caches must revalidate: after a digest mismatch or an unusable response to a range request.
    package var bypassesCaches = false
    /// Whether the range is requested without `If-Range` (docs/behaviour/transfers.md#row-21 and row 22).
    package var isUnconditional = false
    /// The part for this worker, or nil for the first missing part.
    package var segment: Range<Int64>?

    package init() {}
}

extension RequestSituation {
    /// Length of the file, if known.
    package var fileLength: Int64? {
        if case .ownRange(let own) = raw { return own.length(completeLength: identity?.completeLength) }
        return identity?.completeLength ?? expectedSize
    }

    /// Whether every byte of a known length, or of the segment, is on disk.
    package var isComplete: Bool {
        if let segment, ranges.contains(segment) { return true }
        return fileLength.map { ranges.contains(0..<max(0, $0)) && (!ranges.isEmpty || identity != nil) } ?? false
    }
}

/// Restrictions of a caller's custom request (docs/behaviour/transfers.md#Q5).
package enum RawRequest: Hashable, Sendable {
    /// The method or a field makes every response final: no resuming, no segments.
    case verbatim
    /// The caller requested one byte range, which is the file.
    case ownRange(OwnRange)
    /// The caller accepts content codings: no segments. An unencoded response can be resumed, since `If-Range` ensures
    /// that further ranges belong to the same representation (RFC 9110 §14.2).
    case coded
}
