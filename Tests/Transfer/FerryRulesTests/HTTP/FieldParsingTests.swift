import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Response fields` {
    @Test(
        arguments: [
            (#""v1""#, .strong), (#""a-b/c:d""#, .strong), ("\"é\"", .strong), (#"W/"v1""#, .weak),
            (#"w/"v1""#, .invalid),
            (#""""#, .invalid), (#"W/"""#, .invalid), ("", .invalid), ("v1", .invalid), (#""v1"#, .invalid),
            (#"""#, .invalid),
            (#""a"b""#, .invalid), (#""a", "b""#, .invalid), ("\"a b\"", .invalid), ("\"a\u{7}\"", .invalid),
            ("\"a\u{FFFD}\"", .invalid),
        ] as [(String, EntityTag.Strength)])
    func `R1 an ETag is strong only in quotes, not empty and without W`(raw: String, strength: EntityTag.Strength) {
        #expect(EntityTag(raw).strength == strength)
        #expect(EntityTag(raw).raw == raw)
    }

    @Test(
        arguments: [
            ("bytes 0-9/10", .part(first: 0, last: 9, complete: 10)),
            ("Bytes 5-5/6", .part(first: 5, last: 5, complete: 6)),
            ("bytes 100-199/*", .part(first: 100, last: 199, complete: nil)),
            ("bytes 0-0/999999999999999999", .part(first: 0, last: 0, complete: 999_999_999_999_999_999)),
            ("bytes */1000", .unsatisfied(complete: 1000)), ("bytes */0", .unsatisfied(complete: 0)),
            ("", nil), ("bytes", nil), ("bytes 9-0/10", nil), ("bytes 0-10/10", nil), ("bytes 0-9/5", nil),
            ("bytes */*", nil), ("items 0-9/10", nil), ("bytes=0-9/10", nil), ("bytes 0-9", nil), ("bytes 0-9/", nil),
            ("bytes -9/10", nil), ("bytes 0-/10", nil), ("bytes +0-9/10", nil), ("bytes 0-9/+10", nil),
            ("bytes 0-9223372036854775807/*", nil), ("bytes 0-9/1000000000000000000", nil),
            ("bytes 0-999999999999999999999999999999/*", nil), ("bytes 0-9/10, bytes 10-19/20", nil),
            ("bytes 0 - 9/10", nil), ("bytes  0-9/10", nil), ("bytes 0-9/10/10", nil), ("bytes ٠-٩/10", nil),
        ] as [(String, ContentRange?)])
    func `R4 a Content-Range is first-last of complete, of at most 18 digits`(text: String, expected: ContentRange?) {
        #expect(ContentRange(text) == expected)
    }

    @Test(
        arguments: [
            ("bytes=0-", .from(0, to: nil)), ("bytes=10-19", .from(10, to: 19)), ("bytes=-5", .suffix(5)),
            ("bytes=5-4", nil), ("bytes=-0", nil), ("bytes=-", nil), ("bytes=0-1,3-4", nil), ("items=0-1", nil),
            ("bytes=a-b", nil), ("0-1", nil), ("bytes=5-x", nil),
        ] as [(String, OwnRange?)])
    func `Q5 a caller's own Range is one byte range`(text: String, expected: OwnRange?) {
        #expect(OwnRange(text) == expected)
        if let expected { #expect(expected.fieldValue == text) }
    }

    private static let sha256 = "RBNvtPKLd9m1tqmGZdOJhWBcCJqsf0T6qGtvbAUyu4w="
    private static let wrongSize = "AAAA"

    private func digests(_ fields: [(String, String)]) -> DigestFields {
        DigestFields(Sample.head(200, fields))
    }

    @Test(arguments: [
        "sha-256=:\(sha256):", " sha-256=:\(sha256): ", "sha-256=:\(sha256):;a=1;b", "md5=:AAAA:, sha-256=:\(sha256):",
        "a=(1 2;q \"x\");z=?0, b, c=\"\\\"\", d=1.5, e=tok/en, sha-256=:\(sha256):",
        "sha-256=:AAAA:, sha-256=:\(sha256):",
        "sha-256=:\(sha256.dropLast()):", "sha-512=:AAAA:,\tsha-256=:\(sha256):",
    ])
    func `I3 Repr-Digest is a dictionary of byte sequences`(value: String) {
        #expect(digests([("Repr-Digest", value)]).representation.map(\.algorithm) == [.sha256])
        #expect(digests([("Content-Digest", value)]).content.map(\.algorithm) == [.sha256])
        #expect(digests([("Content-Digest", value)]).representation.isEmpty)
    }

    @Test(arguments: [
        "", "sha-256", "sha-256=\(sha256)", "sha-256=:\(sha256)", "sha-256=:\(sha256):,", "sha-256=:\(sha256): x",
        "SHA-256=:\(sha256):", "sha-256=:AAAA:", "sha-256=:*:", "=:\(sha256):", "sha-256=:\(sha256):, b=(1",
        "sha-256=:\(sha256):, c=\"x", "md5=:AAAA:", "sha-256=:\(sha256):;", "sha-256 =:\(sha256):", "sha-256=1",
        "unixsum=5, sha-256=(:\(sha256):)",
    ])
    func `I3 malformed fields and other algorithms are ignored`(value: String) {
        #expect(digests([("Repr-Digest", value)]).representation.isEmpty)
    }

    @Test func `I3 two fields of one name are one dictionary`() {
        let found = digests([("Repr-Digest", "md5=:AAAA:"), ("repr-digest", "sha-256=:\(Self.sha256):")])
        #expect(found.representation.count == 1)
        #expect(found.representation.first?.hex.hasPrefix("44136fb4") == true)
    }

    @Test(arguments: [
        ("SHA-256=\(sha256)", 1), ("sha-256=\(sha256),MD5=AAAA", 1), ("MD5=AAAA, sha-256=\(sha256)", 1),
        ("SHA-256=AAAA", 0), ("SHA=\(sha256)", 0), ("adler32=03da0195", 0), ("", 0), ("SHA-256", 0),
    ])
    func `I3 Digest of RFC 3230 counts as Repr-Digest`(value: String, count: Int) {
        #expect(digests([("Digest", value)]).representation.count == count)
        let both = digests([("Digest", value), ("Repr-Digest", "sha-256=:\(Self.sha256):")])
        #expect(both.representation.count == 1)
    }

    @Test(
        arguments: [
            ([], .untilClose), ([("Content-Length", "5")], .length(5)), ([("Transfer-Encoding", "Chunked")], .chunked),
            ([("Content-Length", "5"), ("content-length", "5")], .length(5)),
            ([("Content-Length", "5, 5")], .length(5)),
        ] as [([(String, String)], BodyFraming)])
    func `R5 framing follows from length and chunking`(fields: [(String, String)], framing: BodyFraming) {
        let head = Sample.head(200, fields)
        #expect(head.framing == framing)
        #expect(head.framingFault == nil)
    }

    @Test(arguments: [
        [("Content-Length", "5"), ("Content-Length", "6")], [("Content-Length", "5, 6")], [("Content-Length", "-5")],
        [("Content-Length", "5, 05")], [("Content-Length", "5,")], [("Transfer-Encoding", "chunked, identity")],
        [("Transfer-Encoding", "identity")], [("Transfer-Encoding", "")], [("Transfer-Encoding", "chunked, chunked")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "+5")], [("Content-Length", "")], [("Content-Length", "9223372036854775808")],
        [("Content-Length", "5"), ("Transfer-Encoding", "chunked")], [("Transfer-Encoding", "gzip, chunked")],
    ])
    func `R5 ambiguous framing is a bad response`(fields: [(String, String)]) {
        let verdict = ResumeTable.decide(ResumeSituation(asked: .whole, response: .success(Sample.head(200, fields))))
        #expect(verdict.row == 0)
        #expect(verdict.decision.summary == "retry bad_response doubtful")
    }

    @Test func `HTTP 2 has no chunking of its own`() {
        let head = ResponseHead(status: 200, major: 2, fields: [], url: "https://a.example/f", origin: Sample.origin)
        #expect(head.framing == .chunked && head.contentLength == nil)
        let coded = [
            HeaderField(name: "Transfer-Encoding", value: "gzip"), HeaderField(name: "Content-Length", value: "5"),
        ]
        let other = ResponseHead(
            status: 200, major: 2, fields: coded, url: "https://a.example/f", origin: Sample.origin)
        #expect(other.framing == .length(5) && other.framingFault == nil)
    }

    @Test func `field names ignore case and values lose outer space`() {
        let head = Sample.head(503, [("retry-AFTER", " \t120 "), ("Content-Encoding", "identity, GZip ,br")])
        #expect(head.retryAfter == "120")
        #expect(head.contentEncodings == ["gzip", "br"])
        #expect(head.value("Missing") == nil)
    }
}
