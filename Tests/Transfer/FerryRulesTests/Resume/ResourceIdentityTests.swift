import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Resource identity` {
    @Test(
        arguments: [
            (#""v1""#, nil, nil, .etag(#""v1""#)),
            (nil, Sample.modified, Sample.served, .date(Sample.modified)),
            (nil, Sample.modified, "Sun, 06 Nov 1994 08:49:38 GMT", .date(Sample.modified)),
            (nil, "Sunday, 06-Nov-94 08:49:37 GMT", Sample.served, .date("Sunday, 06-Nov-94 08:49:37 GMT")),
            (nil, Sample.modified, Sample.modified, nil), (nil, Sample.served, Sample.modified, nil),
            (nil, Sample.modified, nil, nil), (nil, nil, Sample.served, nil), (nil, "yesterday", Sample.served, nil),
            (#"W/"v1""#, Sample.modified, Sample.served, nil), (#""""#, Sample.modified, Sample.served, nil),
            ("v1", Sample.modified, Sample.served, nil), (nil, nil, nil, nil),
        ] as [(String?, String?, String?, Validator?)])
    func `R1 the validator is a strong tag, or an old date where there is no tag`(
        etag: String?, lastModified: String?, date: String?, expected: Validator?
    ) {
        let identity = ResourceIdentity(origin: Sample.origin, etag: etag, lastModified: lastModified, date: date)
        #expect(identity.strongValidator == expected)
    }

    @Test func `a head gives the identity, and the journal gives it back`() throws {
        let head = Sample.head(
            206,
            [
                ("ETag", #""v1""#), ("Last-Modified", Sample.modified), ("Date", Sample.served),
                ("Content-Range", "bytes 0-4/10000000"), ("Content-Length", "5"), ("Content-Type", "application/zip"),
            ])
        let identity = ResourceIdentity(head)
        #expect(identity == Sample.tagged())
        let json = try JSONEncoder().encode(identity)
        #expect(try JSONDecoder().decode(ResourceIdentity.self, from: json) == identity)
        #expect(String(decoding: json, as: UTF8.self).contains(#""complete_length":10000000"#))
    }

    @Test(
        arguments: [
            (false, nil, false, .nothing), (true, nil, false, .weak), (true, #"W/"v1""#, false, .weak),
            (true, #""v1""#, false, .strong), (true, #""v1""#, true, .digest), (true, #"W/"v1""#, true, .digest),
            (false, #""v1""#, true, .nothing),
        ] as [(Bool, String?, Bool, DiskState)])
    func `R12 the disk is nothing, D, S or W`(hasBytes: Bool, etag: String?, hasDigest: Bool, expected: DiskState) {
        let identity = ResourceIdentity(origin: Sample.origin, etag: etag)
        let ranges = hasBytes ? ByteRangeSet(0..<1) : ByteRangeSet()
        #expect(DiskState(ranges: ranges, identity: identity, hasExpectedDigest: hasDigest) == expected)
    }
}

@Suite struct `Planned request` {
    private static let want = "Want-Repr-Digest: sha-256=10, sha-512=5"

    private func lines(_ change: (inout RequestSituation) -> Void) -> [String]? {
        var situation = RequestSituation()
        change(&situation)
        return PlannedRequest(situation).map { $0.fields.map { "\($0.name): \($0.value)" } }
    }

    @Test func `Q1 the first request has no Range`() {
        #expect(lines { _ in } == [Self.want])
        #expect(lines { $0.hasExpectedDigest = true } == [])
        #expect(lines { $0.bypassesCaches = true } == [Self.want, "Cache-Control: no-cache"])
        #expect(PlannedRequest(RequestSituation())?.asked == .whole)
    }

    @Test(arguments: [
        (Sample.tagged(), false, ["Range: bytes=5-", #"If-Range: "v1""#]),
        (Sample.dated(), false, ["Range: bytes=5-", "If-Range: \(Sample.modified)"]),
        (Sample.weak(), false, [want]),
        (Sample.weak(), true, ["Range: bytes=5-"]),
        (Sample.tagged(), true, ["Range: bytes=5-", #"If-Range: "v1""#]),
    ])
    func `Q3 R1 a range is guarded by a strong validator and by nothing else`(
        identity: ResourceIdentity, hasDigest: Bool, expected: [String]
    ) {
        let lines = lines {
            $0.ranges = ByteRangeSet(0..<5)
            $0.identity = identity
            $0.hasExpectedDigest = hasDigest
        }
        #expect(lines == expected)
    }

    @Test func `Q3 a segment and a gap are asked with both ends`() {
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.segment = 100..<200
            } == ["Range: bytes=100-199", #"If-Range: "v1""#])
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.segment = 9_000_000..<Sample.size
            } == ["Range: bytes=9000000-", #"If-Range: "v1""#])
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<10)
                $0.ranges.insert(50..<60)
            } == ["Range: bytes=10-49", #"If-Range: "v1""#])
    }

    @Test func `R12 row 21 the unconditional range has no If-Range`() {
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<10)
                $0.isUnconditional = true
            } == ["Range: bytes=10-"])
    }

    @Test func `R12 row 16 with ranges off the whole file is asked`() {
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<10)
                $0.rangesOff = true
            } == [Self.want])
    }

    @Test func `R12 with all bytes of a known length nothing is asked`() {
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<Sample.size)
            } == nil)
        #expect(
            lines {
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<200)
                $0.segment = 100..<200
            } == nil)
    }

    @Test func `Q3 policy update asks with the recorded validators, weak tags too`() {
        #expect(lines { $0.existing = Sample.weak() } == [#"If-None-Match: W/"v1""#, Self.want])
        #expect(lines { $0.existing = Sample.dated() } == ["If-Modified-Since: \(Sample.modified)", Self.want])
        #expect(lines { $0.existing = ResourceIdentity(origin: Sample.origin) } == [Self.want])
    }

    @Test func `Q5 the caller's own range is sent as it is, and continued within itself`() {
        #expect(lines { $0.raw = .ownRange(.from(100, to: 199)) } == ["Range: bytes=100-199"])
        #expect(lines { $0.raw = .ownRange(.suffix(100)) } == ["Range: bytes=-100"])
        #expect(lines { $0.raw = .verbatim } == [])
        #expect(lines { $0.raw = .coded } == [])
        let continued: (OwnRange) -> [String]? = { own in
            lines {
                $0.raw = .ownRange(own)
                $0.identity = Sample.tagged()
                $0.ranges = ByteRangeSet(0..<40)
            }
        }
        #expect(continued(.from(100, to: 199)) == ["Range: bytes=140-199", #"If-Range: "v1""#])
        #expect(continued(.suffix(100)) == ["Range: bytes=9999940-", #"If-Range: "v1""#])
        #expect(continued(.from(100, to: 139)) == nil)
    }
}
