import FerryCore
import FerryRules
import Testing

private typealias Row = ResumeCase

/// docs/behaviour/transfers.md#the-table-of-answers
@Suite struct `Resume table, rows 14 to 26` {
    private static let otherTag = ("ETag", #""v2""#)
    private static let otherTotal = ("Content-Range", "bytes 5000000-6999999/7000000")

    @Test(arguments: [
        Row("R", .strong, .r, Row.part(otherTotal, Row.tag), "G"),
        Row("D", .digestWeak, .u, Row.part(otherTotal), "G"),
        Row("also another version", .strong, .r, Row.part(otherTotal, otherTag), "G"),
        Row("also another start", .digest, .r, Row.part(("Content-Range", "bytes 0-6/7")), "G"),
    ])
    private func `R12 row 14 another complete length restarts`(row: Row) {
        #expect(row.verdict() == (14, row.expected))
    }

    @Test(arguments: [
        Row("tag", .strong, .r, Row.part(Row.rest, otherTag), "G"),
        Row("weak tag", .strong, .r, Row.part(Row.rest, ("ETag", #"W/"v1""#)), "G"),
        Row("U", .strong, .u, Row.part(Row.rest, otherTag), "G"),
        Row("date", .dated, .rDate, Row.part(Row.rest, ("Last-Modified", Sample.otherModified)), "G"),
        Row("date beside a tag", .strong, .r, Row.part(Row.rest, ("Last-Modified", Sample.otherModified)), "G"),
        Row("also unusable", .strong, .r, Row.part(otherTag), "G"),
        Row("new tag in U", .dated, .u, Row.part(Row.rest, Row.tag), "G"),
    ])
    private func `R12 row 15 another version restarts`(row: Row) {
        #expect(row.verdict() == (15, row.expected))
    }

    @Test(arguments: [
        Row(
            "same tag, length and date", .strong, .r,
            Row.part(Row.rest, Row.tag, Row.lastModified, origin: Sample.otherOrigin), "19"),
        Row("same tag and length", .strong, .r, Row.part(Row.rest, Row.tag, origin: Sample.otherOrigin), "19"),
        Row("no tag", .strong, .r, Row.part(Row.rest, Row.lastModified, origin: Sample.otherOrigin), "15"),
        Row(
            "length not said", .strong, .r,
            Row.part(("Content-Range", "bytes 5000000-9999999/*"), Row.tag, origin: Sample.otherOrigin), "15"),
        Row(
            "other date", .strong, .r,
            Row.part(Row.rest, Row.tag, ("Last-Modified", Sample.otherModified), origin: Sample.otherOrigin), "15"),
        Row("date alone", .dated, .rDate, Row.part(Row.rest, Row.lastModified, origin: Sample.otherOrigin), "15"),
        Row("digest judges", .digest, .r, Row.part(Row.rest, origin: Sample.otherOrigin), "20"),
        Row(
            "200 of another date", .strong, .r,
            Row.ok(Row.whole, Row.tag, ("Last-Modified", Sample.otherModified), origin: Sample.otherOrigin), "23"),
        Row("200 of the same", .strong, .r, Row.ok(Row.whole, Row.tag, origin: Sample.otherOrigin), "21"),
    ])
    private func `R3 a tag from another origin counts only with length and date`(row: Row) {
        #expect("\(row.verdict().row)" == row.expected)
    }

    @Test func `I3 another Repr-Digest is another version`() {
        let other = ("Repr-Digest", "sha-256=:RBNvtPKLd9m1tqmGZdOJhWBcCJqsf0T6qGtvbAUyu4w=:")
        let row = Row("", .strong, .r, Row.part(Row.rest, Row.tag, other), "") {
            $0.identity?.reprDigests = [Checksum(.sha256, bytes: [UInt8](repeating: 0, count: 32))]
        }
        #expect(row.verdict() == (15, "G"))
        let learned = Row("", .strong, .r, Row.part(Row.rest, Row.tag, other), "")
        guard case .continueAt(_, _, let identity) = ResumeTable.decide(learned.situation).decision else {
            Issue.record("A first Repr-Digest contradicts nothing.")
            return
        }
        #expect(identity.reprDigests.count == 1)
    }

    @Test(arguments: [
        Row("first", .strong, .r, Row.part(("Content-Range", "bytes 0-9999999/10000000"), Row.tag), ""),
        Row("missing", .strong, .r, Row.part(Row.tag), ""),
        Row("invalid", .digestWeak, .u, Row.part(("Content-Range", "bytes 5000000-4/*")), ""),
        Row("unsatisfied form", .digest, .r, Row.part(("Content-Range", "bytes */10000000")), ""),
        Row(
            "multipart", .strong, .r, Row.part(Row.rest, Row.tag, ("Content-Type", "multipart/byteranges; boundary=x")),
            ""),
        Row("length", .strong, .r, Row.part(Row.rest, Row.tag, ("Content-Length", "4999999")), ""),
        Row("encoded", .digest, .r, Row.part(Row.rest, Row.tag, ("Content-Encoding", "gzip")), ""),
        Row("past the end", .strong, .r, Row.part(("Content-Range", "bytes 5000000-10000000/*"), Row.tag), ""),
        Row("two", .strong, .r, Row.part(Row.rest, Row.rest, Row.tag), ""),
    ])
    private func `R12 row 16 an unusable part is asked once more, then ranges are off`(row: Row) {
        #expect(row.verdict() == (16, "fresh"))
        var situation = row.situation
        situation.usedFreshConnection = true
        let verdict = ResumeTable.decide(situation)
        #expect(verdict.row == 16)
        #expect(verdict.decision == .restart(.rangesUnusable, rangesOff: true))
    }

    @Test func `R12 row 17 a part without a version does not answer an unconditional request`() {
        #expect(Row("", .strong, .u, Row.part(Row.rest), "").verdict() == (17, "G"))
        #expect(Row("", .strong, .u, Row.part(Row.rest, Row.lastModified), "").verdict() == (17, "G"))
    }

    @Test func `R12 row 18 a tag where there was none`() {
        #expect(Row("", .dated, .rDate, Row.part(Row.rest, Row.tag), "").verdict() == (18, "G"))
    }

    @Test(arguments: [
        Row("R", .strong, .r, Row.part(Row.rest, Row.tag), "continue 5000000..<10000000"),
        Row("tag left out", .strong, .r, Row.part(Row.rest), "continue 5000000..<10000000"),
        Row("date", .dated, .rDate, Row.part(Row.rest), "continue 5000000..<10000000"),
        Row("U with the tag", .strong, .u, Row.part(Row.rest, Row.tag), "continue 5000000..<10000000"),
        Row(
            "star", .strong, .r, Row.part(("Content-Range", "bytes 5000000-9999999/*"), Row.tag),
            "continue 5000000..<10000000"),
        Row(
            "subset", .strong, .r, Row.part(("Content-Range", "bytes 5000000-5000009/10000000"), Row.tag),
            "continue 5000000..<5000010"),
        Row("excess", .strong, .segment, Row.part(Row.rest, Row.tag), "continue 5000000..<6000000"),
        Row(
            "chunked", .strong, .r, Row.part(Row.rest, Row.tag, ("Transfer-Encoding", "chunked")),
            "continue 5000000..<10000000"),
    ])
    private func `R12 row 19 the same version continues`(row: Row) {
        #expect(row.verdict() == (19, row.expected))
    }

    @Test func `R12 row 19 a length learned from a part is kept`() {
        let row = Row("", .strong, .r, Row.part(Row.rest, Row.tag), "") { $0.identity?.completeLength = nil }
        guard case .continueAt(_, _, let identity) = ResumeTable.decide(row.situation).decision else {
            Issue.record("The part continues.")
            return
        }
        #expect(identity == Sample.tagged())
    }

    @Test(arguments: [
        Row("same", .digest, .r, Row.part(Row.rest, Row.tag), "continue 5000000..<10000000"),
        Row("other tag", .digest, .r, Row.part(Row.rest, otherTag), "continue 5000000..<10000000"),
        Row("weak", .digestWeak, .u, Row.part(Row.rest), "continue 5000000..<10000000"),
    ])
    private func `R12 row 20 R14 the digest verifies joined bytes`(row: Row) {
        #expect(row.verdict() == (20, row.expected))
    }

    @Test func `R12 row 21 the whole of the same version`() {
        let same = Row.ok(Row.tag, Row.whole)
        #expect(Row("", .strong, .r, same, "").verdict() == (21, "U"))
        let small = Row("", .strong, .r, same, "") { $0.ranges = ByteRangeSet(0..<(1 << 20) - 1) }
        #expect(small.verdict() == (21, "start length(10000000) of 10000000 restart"))
        let limit = Row("", .strong, .r, same, "") { $0.ranges = ByteRangeSet(0..<1 << 20) }
        #expect(limit.verdict() == (21, "U"))
    }

    @Test(arguments: [Row("strong", .digest, .r, Row.ok(otherTag, Row.whole), "U")])
    private func `R12 row 22 R14 the whole of the same length, to be judged by a digest`(row: Row) {
        #expect(row.verdict() == (22, row.expected))
    }

    @Test(arguments: [
        Row("changed", .strong, .r, Row.ok(otherTag, Row.whole), "start length(10000000) of 10000000 restart"),
        Row("other length", .strong, .r, Row.ok(Row.tag, ("Content-Length", "7")), "start length(7) of 7 restart"),
        Row("length not said", .strong, .r, Row.ok(Row.tag), "start untilClose of ? restart"),
        Row(
            "date", .dated, .rDate, Row.ok(Row.lastModified, Row.whole),
            "start length(10000000) of 10000000 restart once"),
        Row("U", .strong, .u, Row.ok(Row.tag, Row.whole), "start length(10000000) of 10000000 restart"),
        Row("D other length", .digest, .r, Row.ok(("Content-Length", "7")), "start length(7) of 7 restart"),
        Row("D U", .digestWeak, .u, Row.ok(Row.whole), "start length(10000000) of 10000000 restart"),
    ])
    private func `R12 row 23 R14 any other whole file restarts with its body`(row: Row) {
        #expect(row.verdict() == (23, row.expected))
    }

    /// A server without ranges that truncates its responses has not changed its file while the tag is the same.
    @Test(
        arguments: [
            (Row("tag", .strong, .r, Row.ok(otherTag, Row.whole), ""), true),
            (Row("length", .strong, .r, Row.ok(Row.tag, ("Content-Length", "7")), ""), true),
            (Row("date", .dated, .rDate, Row.ok(("Last-Modified", Sample.otherModified), Row.whole), ""), true),
            (Row("digest asked", .digest, .u, Row.ok(otherTag, Row.whole), ""), true),
            (Row("G after a restart", .strong, .g, Row.ok(otherTag, Row.whole), ""), true),
            (Row("same tag, length not said", .strong, .r, Row.ok(Row.tag), ""), false),
            (Row("same date", .dated, .rDate, Row.ok(Row.lastModified, Row.whole), ""), false),
            (Row("no validator", .strong, .r, Row.ok(Row.whole), ""), false),
            (Row("same, U", .strong, .u, Row.ok(Row.tag, Row.whole), ""), false),
            (Row("weak", .weak, .g, Row.ok(("ETag", #"W/"v2""#), Row.whole), ""), false),
            (Row("same, G after a restart", .strong, .g, Row.ok(Row.tag, Row.whole), ""), false),
        ] as [(Row, Bool)])
    private func `only another validator or length is a change of the file`(row: Row, isChange: Bool) {
        var situation = row.situation
        #expect(ResumeTable.decide(situation).countsAsRestart == isChange)
        situation.restarts = 5
        let summary = ResumeTable.decide(situation).decision.summary
        #expect((summary == "fail resource_changed final") == isChange, "\(summary)")
        // The previous response showed the change, and was counted.
        situation.restart = .versionChanged
        #expect(ResumeTable.decide(situation).decision.summary.hasPrefix("start"))
    }

    @Test func `R12 row 24 all bytes were there`() {
        let row = Row("", .strong, .r, Row.status(416, ("Content-Range", "bytes */5000000")), "") {
            $0.identity?.completeLength = nil
        }
        #expect(row.verdict() == (24, "complete 5000000"))
        var situation = row.situation
        situation.ranges = ByteRangeSet(1..<5_000_000)
        #expect(ResumeTable.decide(situation).row == 26, "a byte is missing")
        situation.ranges = ByteRangeSet(0..<4_999_999)
        #expect(ResumeTable.decide(situation).row == 26, "another end")
        situation = row.situation
        situation.maxSize = 4
        #expect(ResumeTable.decide(situation).decision.summary == "fail too_large final")
    }

    @Test func `R12 row 25 a refusal that contradicts itself`() {
        let refusal = Row.status(416, ("Content-Range", "bytes */10000000"))
        #expect(Row("", .strong, .r, refusal, "").verdict() == (25, "fresh"))
        let again = Row("", .digest, .u, refusal, "") { $0.usedFreshConnection = true }
        #expect(again.verdict() == (25, "G ranges off"))
    }

    @Test(arguments: [
        Row("other length", .strong, .r, Row.status(416, ("Content-Range", "bytes */7")), "G"),
        Row("bare", .digest, .u, Row.status(416), "G"), Row("412", .strong, .r, Row.status(412), "G"),
    ])
    private func `R12 row 26 any other refusal restarts`(row: Row) {
        #expect(row.verdict() == (26, row.expected))
    }

    @Test(arguments: [
        Row("16", .strong, .r, Row.part(Row.tag), "") { $0.usedFreshConnection = true },
        Row("17", .strong, .u, Row.part(Row.rest), ""), Row("26", .strong, .r, Row.status(412), ""),
    ])
    private func `a restart with the same version is not counted`(row: Row) {
        var situation = row.situation
        situation.restarts = 5
        let verdict = ResumeTable.decide(situation)
        #expect("\(verdict.row)" == row.what && !verdict.countsAsRestart)
        #expect(verdict.decision.summary.hasPrefix("G"))
    }

    @Test(arguments: [
        Row("14", .strong, .r, Row.part(otherTotal), ""), Row("15", .strong, .r, Row.part(Row.rest, otherTag), ""),
        Row("18", .dated, .rDate, Row.part(Row.rest, Row.tag), ""), Row("23", .strong, .r, Row.ok(otherTag), ""),
    ])
    private func `R9 the sixth change in a row is a failure`(row: Row) {
        var situation = row.situation
        situation.restarts = 4
        #expect(ResumeTable.decide(situation).countsAsRestart)
        situation.restarts = 5
        let verdict = ResumeTable.decide(situation)
        #expect("\(verdict.row)" == row.what)
        #expect(verdict.decision.summary == "fail resource_changed final")
    }
}
