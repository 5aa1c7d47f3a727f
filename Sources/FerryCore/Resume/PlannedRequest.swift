/// What the next request asks, and the fields that say so (docs/behaviour/transfers.md#requests).
package struct PlannedRequest: Hashable, Sendable {
    package let asked: Asked
    package let fields: [HeaderField]

    /// Plans the next request; nil if all bytes of a known length are there.
    package init?(_ situation: RequestSituation) {
        guard !situation.isComplete else { return nil }
        let asked = Self.asked(situation)
        self.asked = asked
        self.fields = Self.fields(asked, situation)
    }

    private static func asked(_ situation: RequestSituation) -> Asked {
        range(situation) ?? (isConditional(situation) ? .conditional : .whole)
    }

    /// R or U of the table; nil if no range may be asked.
    private static func range(_ situation: RequestSituation) -> Asked? {
        guard situation.raw != .verbatim, !situation.rangesOff else { return nil }
        // A segment is asked once a head has told what it is a part of, also before the first byte is stored.
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

    /// The part to ask for: the first gap, open at the end if nothing behind it is on disk.
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

    /// Positions of the file, as positions of the resource that it is, or is a part of.
    private static func rangeValue(from: Int64, to: Int64?, _ situation: RequestSituation) -> String {
        guard case .ownRange(let own) = situation.raw else { return "bytes=\(from)-\(to.map(String.init) ?? "")" }
        let start = own.start(completeLength: situation.identity?.completeLength) ?? 0
        let last = to.map { start + $0 } ?? own.last
        return "bytes=\(start + from)-\(last.map(String.init) ?? "")"
    }
}
