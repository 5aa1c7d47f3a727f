import FerryCore
import FerryRules
import Testing

private typealias Row = ResumeCase

/// docs/behaviour/transfers.md#the-table-of-answers
@Suite struct `Resume table, rows 1 to 13` {
    @Test func `R12 row 1 a failure before a head is treated by its own class`() {
        let error = ServiceError(.connectFailed, "The connection was refused.")
        let verdict = ResumeTable.decide(ResumeSituation(asked: .whole, response: .failure(error)))
        #expect(verdict.row == 1)
        #expect(verdict.decision == .retryLater(error))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `R12 row 2 a redirect with a good Location is followed`(status: Int) {
        let row = Row("redirect", .strong, .r, Row.status(status, ("Location", "/next")), "follow /next")
        #expect(row.verdict() == (2, row.expected))
    }

    @Test(arguments: [
        Row("200", .strong, .segment, Row.ok(Row.tag, Row.whole), "leave"),
        Row("200 to the digest case", .digest, .segment, Row.ok(Row.whole), "leave"),
        Row("200 while nothing is stored", .empty, .segment, Row.ok(Row.whole), "leave") {
            $0.identity = Sample.tagged()
        },
        Row("other length", .strong, .segment, Row.part(("Content-Range", "bytes 5000000-5999999/7000000")), "leave"),
        Row("other version", .strong, .segment, Row.part(Row.rest, ("ETag", #""v2""#)), "leave"),
        Row("no Content-Range", .digest, .segment, Row.part(Row.tag), "leave"),
        Row("no version", .strong, .u, Row.part(Row.rest), "leave"),
        Row("new tag", .dated, .rDate, Row.part(Row.rest, Row.tag), "leave"),
        Row("suspicious page", .strong, .segment, Row.ok(("Content-Type", "text/html")), "leave"),
    ])
    private func `R12 row 3 an extra worker leaves when its part cannot be had`(row: Row) {
        #expect(row.verdict(extra: true) == (3, row.expected))
    }

    @Test(arguments: [403, 429, 503])
    func `R12 row 4 a refused extra worker learns the host's limit`(status: Int) {
        var row = Row("", .strong, .segment, Row.status(status), "host limit") { $0.anotherWorkerReceives = true }
        #expect(row.verdict(extra: true) == (4, row.expected))
        row = Row("", .strong, .segment, Row.status(status), "")
        #expect(row.verdict(extra: true).row != 4, "an ordinary failure when no other worker receives")
    }

    @Test(arguments: [
        Row("206 of a raw request", .empty, .g, Row.part(("Content-Length", "5")), "start length(5) of 5 once") {
            $0.raw = .verbatim
        },
        Row("412 fails by policy strict", .empty, .g, Row.status(412), "fail http_status final") { $0.raw = .verbatim },
        Row("416 fails by policy strict", .empty, .g, Row.status(416), "fail http_status final") {
            $0.raw = .ownRange(.from(5, to: nil))
        },
        Row("304 by policy any", .empty, .g, Row.status(304), "start length(0) of 0 once") {
            $0.raw = .verbatim
            $0.acceptsAnyStatus = true
        },
        Row(
            "own range", .empty, .g, Row.part(("Content-Range", "bytes 100-199/1000"), Row.tag),
            "start untilClose of 100"
        ) { $0.raw = .ownRange(.from(100, to: 199)) },
        Row(
            "own range cut by the end", .empty, .g, Row.part(("Content-Range", "bytes 100-149/150"), Row.tag),
            "start untilClose of 50"
        ) { $0.raw = .ownRange(.from(100, to: 199)) },
        Row(
            "own suffix", .empty, .g, Row.part(("Content-Range", "bytes 900-999/1000"), Row.tag),
            "start untilClose of 100"
        ) { $0.raw = .ownRange(.suffix(100)) },
        Row(
            "own range answered with another", .empty, .g, Row.part(("Content-Range", "bytes 0-199/1000")),
            "retry range_mismatch doubtful"
        ) { $0.raw = .ownRange(.from(100, to: 199)) },
        Row("own range without Content-Range", .empty, .g, Row.part(), "retry range_mismatch doubtful") {
            $0.raw = .ownRange(.from(100, to: 199))
        },
        Row(
            "own range continued", .strong, .r, Row.part(("Content-Range", "bytes 5000100-5999999/10000000"), Row.tag),
            "continue 5000000..<5999900"
        ) { $0.raw = .ownRange(.from(100, to: 5_999_999)) },
        Row(
            "own range of another version", .strong, .r,
            Row.part(("Content-Range", "bytes 5000100-5999999/10000000"), ("ETag", #""v2""#)), "G"
        ) { $0.raw = .ownRange(.from(100, to: 5_999_999)) },
    ])
    private func `R12 row 5 the caller's own conditions are the caller's`(row: Row) {
        #expect(row.verdict() == (5, row.expected))
    }

    /// Each head has a digest of the whole file.
    @Test(arguments: [
        Row("200", .empty, .g, Row.ok(digest), "kept"),
        Row("200 to HEAD", .empty, .g, Row.ok(digest), "left") { $0.method = "HEAD" },
        Row("206 of a raw request", .empty, .g, Row.part(digest), "left") { $0.raw = .verbatim },
        Row("own range", .empty, .g, Row.part(("Content-Range", "bytes 100-199/1000"), digest), "left") {
            $0.raw = .ownRange(.from(100, to: 199))
        },
        Row(
            "own range continued", .strong, .r,
            Row.part(("Content-Range", "bytes 5000100-5999999/10000000"), Row.tag, digest), "left"
        ) { $0.raw = .ownRange(.from(100, to: 5_999_999)) },
    ])
    private func `I3 a file that is not the whole has no digest of the whole`(row: Row) {
        let identity: ResourceIdentity? =
            switch ResumeTable.decide(row.situation).decision {
            case .start(let body): body.identity
            case .continueAt(_, _, let identity): identity
            default: nil
            }
        #expect(identity?.reprDigests.isEmpty == (row.expected == "left"))
    }

    private static let digest = ("Repr-Digest", "sha-256=:RBNvtPKLd9m1tqmGZdOJhWBcCJqsf0T6qGtvbAUyu4w=:")

    @Test func `R12 row 6 not modified is success`() {
        #expect(Row("304", .empty, .c, Row.status(304), "").verdict() == (6, "unchanged"))
    }

    @Test(arguments: [
        Row(
            "length", .strong, .r, Row.ok(("Content-Type", "Text/HTML; charset=x"), Row.tag, ("Content-Length", "9")),
            ""),
        Row("etag", .digest, .u, Row.ok(("Content-Type", "text/html"), Row.whole), ""),
        Row(
            "origin", .strong, .r,
            Row.ok(("Content-Type", "text/html"), Row.tag, Row.whole, origin: Sample.otherOrigin), ""),
        Row("weak", .weak, .g, Row.ok(("Content-Type", "text/html")), ""),
        Row("encoded", .strong, .r, Row.ok(("Content-Type", "text/html"), ("Content-Encoding", "gzip")), ""),
    ])
    private func `R12 row 7 R8 a suspicious page never costs the bytes on disk`(row: Row) {
        #expect(row.verdict() == (7, "retry resource_changed doubtful"))
    }

    @Test func `R8 a page is not suspicious where a page was, or with nothing on disk`() {
        let page = Row.ok(("Content-Type", "text/html"), ("Content-Length", "9"))
        let same = Row("", .strong, .r, page, "") { $0.identity?.contentType = "text/html; charset=utf-8" }
        #expect(same.verdict().row == 23)
        #expect(Row("", .empty, .g, page, "").verdict().row == 10)
    }

    @Test func `R12 row 8 accepted for later`() {
        let later = Row.status(202, ("Retry-After", "5"), ("Content-Length", "3"))
        #expect(Row("", .empty, .g, later, "").verdict() == (8, "retry server_busy patient"))
        let any = Row("", .empty, .g, later, "") { $0.acceptsAnyStatus = true }
        #expect(any.verdict() == (10, "start length(3) of 3 once"))
    }

    @Test(arguments: [
        Row(
            "G", .empty, .g, Row.ok(("Content-Encoding", "gzip"), ("Content-Length", "5"), Row.tag),
            "start length(5) of 5 once"),
        Row("R", .strong, .r, Row.ok(("Content-Encoding", "br"), Row.tag), "start untilClose of ? restart once"),
    ])
    private func `R12 row 9 encoded content is stored as sent and never continued`(row: Row) {
        #expect(row.verdict() == (9, row.expected))
        guard case .start(let body) = ResumeTable.decide(row.situation).decision else { return }
        #expect(body.notes.contains(.contentEncoded))
    }

    @Test(arguments: [
        Row("strong", .empty, .g, Row.ok(Row.tag, Row.whole), "start length(10000000) of 10000000"),
        Row("no validator", .empty, .g, Row.ok(Row.whole), "start length(10000000) of 10000000 once"),
        Row("digest expected", .empty, .g, Row.ok(Row.whole), "start length(10000000) of 10000000") {
            $0.hasExpectedDigest = true
        },
        Row("C", .empty, .c, Row.ok(Row.tag, Row.whole), "start length(10000000) of 10000000"),
        Row("W", .weak, .g, Row.ok(Row.whole), "start length(10000000) of 10000000 restart once"),
        Row("204", .empty, .g, Row.status(204), "start length(0) of 0 once"),
        Row("205", .empty, .g, Row.status(205), "start length(0) of 0 once"),
        Row("empty", .empty, .g, Row.ok(("Content-Length", "0")), "start length(0) of 0 once"),
    ])
    private func `R12 row 10 a body of known length`(row: Row) {
        #expect(row.verdict() == (10, row.expected))
    }

    @Test(arguments: [
        Row("chunked", .empty, .g, Row.ok(("Transfer-Encoding", "chunked"), Row.tag), "start chunked of ?"),
        Row("HTTP/2", .empty, .c, Row.ok(major: 2), "start chunked of ? once"),
    ])
    private func `R12 row 11 a body whose length is known at its end`(row: Row) {
        #expect(row.verdict() == (11, row.expected))
    }

    @Test func `R12 row 12 R6 a body that ends with the connection`() throws {
        let row = Row("", .empty, .g, Row.ok(), "start untilClose of ? once")
        #expect(row.verdict() == (12, row.expected))
        func notes(_ change: (inout ResumeSituation) -> Void) throws -> [BodyNote] {
            var situation = row.situation
            change(&situation)
            guard case .start(let body) = ResumeTable.decide(situation).decision else {
                throw ServiceError(.internal, "The body is stored.")
            }
            return body.notes
        }
        #expect(try notes { _ in } == [.lengthUnverified])
        #expect(try notes { $0.expectedSize = 5 } == [])
        #expect(try notes { $0.hasExpectedDigest = true } == [])
    }

    @Test(arguments: [
        Row("all", .empty, .g, Row.part(("Content-Range", "bytes 0-9/10"), Row.tag), "start untilClose of 10"),
        Row(
            "some", .empty, .g, Row.part(("Content-Range", "bytes 0-4/10"), ("Content-Length", "5"), Row.tag),
            "start length(5) of 10"),
        Row("middle", .empty, .g, Row.part(("Content-Range", "bytes 1-9/10")), "retry bad_response doubtful"),
        Row("none", .weak, .g, Row.part(), "retry bad_response doubtful"),
        Row("C", .empty, .c, Row.part(("Content-Range", "bytes */10")), "retry bad_response doubtful"),
        Row(
            "length", .empty, .g, Row.part(("Content-Range", "bytes 0-9/10"), ("Content-Length", "9")),
            "retry bad_response doubtful"),
    ])
    private func `R12 row 13 a part that was not asked for`(row: Row) {
        #expect(row.verdict() == (13, row.expected))
    }

    /// Without this, the same beginning would be fetched again thousands of times in a minute.
    @Test(arguments: [
        Row("no validator", .empty, .g, Row.part(("Content-Range", "bytes 0-4/10")), "retry bad_response doubtful"),
        Row("weak", .weak, .g, Row.part(("Content-Range", "bytes 0-4/10")), "retry bad_response doubtful"),
        Row("length unknown", .empty, .g, Row.part(("Content-Range", "bytes 0-4/*")), "retry bad_response doubtful"),
        Row(
            "no ranges", .empty, .g, Row.part(("Content-Range", "bytes 0-4/10"), Row.tag), "retry bad_response doubtful"
        ) {
            $0.rangesOff = true
        },
        Row("whole", .empty, .g, Row.part(("Content-Range", "bytes 0-9/10")), "start untilClose of 10 once") {
            $0.rangesOff = true
        },
    ])
    private func `a beginning whose rest cannot be asked for is not stored`(row: Row) {
        #expect(row.verdict() == (13, row.expected))
    }

    @Test(arguments: [
        Row("G", .empty, .g, Row.ok(Row.whole), "fail length_mismatch final") { $0.expectedSize = 5 },
        Row("204", .empty, .g, Row.status(204), "fail length_mismatch final") { $0.expectedSize = 5 },
        Row("part", .empty, .g, Row.part(("Content-Range", "bytes 0-9/10")), "fail length_mismatch final") {
            $0.expectedSize = 5
        },
        Row("R", .strong, .r, Row.ok(("Content-Length", "7")), "fail length_mismatch final") {
            $0.expectedSize = 10_000_000
        },
        Row(
            "206", .strong, .r, Row.part(("Content-Range", "bytes 5000000-6999999/7000000")),
            "fail length_mismatch final"
        ) {
            $0.expectedSize = 10_000_000
        },
        Row("I7", .empty, .g, Row.ok(Row.whole), "fail too_large final") { $0.maxSize = 9_999_999 },
        Row("I7 exact", .empty, .g, Row.ok(Row.whole, Row.tag), "start length(10000000) of 10000000") {
            $0.maxSize = 10_000_000
        },
    ])
    private func `R15 I7 sizes are judged at the head`(row: Row) {
        #expect(row.verdict().decision == row.expected)
    }
}
