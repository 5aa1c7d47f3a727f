import FerryCore
import FerryRules
import Testing

@Suite struct `Heads as their bytes come` {
    private func mended(_ head: String) throws(HeadFault) -> String? {
        try mended(Array(head.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func mended(_ head: [UInt8]) throws(HeadFault) -> [UInt8]? { try RawHead.mended(head.span) }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 \r\nContent-Length: 5\r\nX-A:\ta b\r\nETag: \"v1\"\r\n\r\n",
        "HTTP/1.0 404 Not Found\r\nno field\r\n\r\n",
    ])
    func `a head of one reading stays as it is`(head: String) throws {
        #expect(try mended(head) == nil)
    }

    @Test(arguments: [
        ("X-A: a\r\n  b\r\n\tc", "X-A: a b c"), ("X-A:\r\n b\r\n \t ", "X-A: b"), ("X-A: a\u{1}b\u{7F}", "X-A: a b"),
        ("X-A: a\rb", "X-A: a b"), ("X-A: a\u{0}b", "X-A: a b"),
        ("Content-Length: 42\r\nContent-Length:42 ", "Content-Length: 42"),
        ("content-length: 42 ,\t42", "Content-Length: 42"), ("Content-Length:\r\n 42", "Content-Length: 42"),
        ("Transfer-Encoding: Chunked", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked"),
        ("Set-Cookie: a=\u{1}b\r\nX-A: a", "X-A: a"), ("X-A: ü", "X-A: ü"),
    ])
    func `lines are unfolded, equal lengths are one, and control characters become spaces`(
        lines: String, expected: String
    ) throws {
        #expect(try mended("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n") == "HTTP/1.1 200 OK\r\n\(expected)\r\n\r\n")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nContent-Length: 5\nConnection: keep-alive\nX-A: a\n\n", "X-A: a\r\nContent-Length: 5"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: a\n\r\n", "X-A: a\r\nContent-Length: 5"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\n", "Transfer-Encoding: chunked"),
    ])
    func `bare line feeds end lines, and the connection ends with that response`(head: String, fields: String) throws {
        #expect(try mended(head) == "HTTP/1.1 200 OK\r\n\(fields)\r\nConnection: close\r\n\r\n")
    }

    /// The codec reads nothing after a head with `Connection: close`, but a final head follows an informational one.
    @Test(arguments: [
        ("HTTP/1.1 103 Early Hints\nX-A: a\nConnection: close\n\n", "HTTP/1.1 103 Early Hints\r\nX-A: a\r\n\r\n"),
        ("HTTP/1.1 100 Continue\r\nX-A: a\n\r\n", "HTTP/1.1 100 Continue\r\nX-A: a\r\n\r\n"),
    ])
    func `an informational head with bare line feeds leaves the end of the connection to the final one`(
        head: String, expected: String
    ) throws {
        #expect(try mended(head) == expected)
        for last in ["HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
            let bytes = Array(last.utf8)
            let mended = try RawHead.mended(bytes.span, followsBareEnd: true)
            #expect(mended == Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8))
        }
    }

    @Test(arguments: [("A: b\r\n\r\n", false), ("A: b\n\r\n", true), ("A: b\r\n\n", true), ("\n", true), ("", false)])
    func `a bare line feed is found`(head: String, isFound: Bool) {
        let bytes = Array(head.utf8)
        let hasBareEnd = RawHead.hasBareEnd(bytes.span)
        #expect(hasBareEnd == isFound)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 O\u{0}K\r\n", "NUL"), ("HTTP/1.1 200 OK\r\n X-A: a\r\n", "white space"),
        ("HTTP/1.1 200 OK\r\nX A: a\u{1}\r\n", "not a field"), ("HTTP/1.1 200 OK\r\n: a\u{1}\r\n", "not a field"),
        ("HTTP/1.1 200 OK\r\nETag: \"a\u{1}\"\r\n", "control"), ("HTTP/1.1 200 OK\r\nLocation: /a\rb\r\n", "control"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\u{0}2\r\n", "control"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 42\r\nContent-Length: 43\r\n", "differ"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 42, 43\r\n", "differ"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 42,\r\n", "differ"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", "both"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n", "chunked, identity"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "chunked, chunked"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n", "identity"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n", "Transfer-Encoding"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n", "gzip"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n", "xchunked"),
        ("HTTP/1.1 200 OK\r\nX-A: a\nContent-Length: 5\r\n", "bare line feed"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\nX-A: a\r\n", "bare line feed"),
    ])
    func `a head whose framing or meaning is in doubt is refused`(head: String, reason: String) throws {
        let fault = #expect(throws: HeadFault.self) { try mended(head + "\r\n") }
        #expect(fault?.text.contains(reason) == true)
    }

    @Test(arguments: [
        ("Content-Disposition: attachment; filename=\"foo-", "Content-Disposition: attachment; filename=\"foo-ä"),
        ("Location: /caf", "Location: /caf%E4"),
    ])
    func `bytes that are no UTF-8 are ISO-8859-1, and bytes of a URL are unchanged`(
        start: String, expected: String
    ) throws {
        let head = Array("HTTP/1.1 200 OK\r\n\(start)".utf8) + [0xE4] + Array("\r\n\r\n".utf8)
        #expect(try mended(head) == Array("HTTP/1.1 200 OK\r\n\(expected)\r\n\r\n".utf8))
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n", "HTTP/1.1 200 OK\r\nA: b\n\r\n"])
    func `the end of a head is found however its bytes are cut`(head: String) {
        let bytes = Array("\(head)body\n\n".utf8)
        var searched = 0
        for count in 0..<head.utf8.count {
            let end = RawHead.end(in: bytes.span.extracting(first: count), searched: &searched)
            #expect(end == nil)
        }
        let end = RawHead.end(in: bytes.span, searched: &searched)
        #expect(end == head.utf8.count)
    }

    @Test(arguments: [
        ("100 Continue", true), ("103 Early Hints", true), ("199", true), ("200 OK", false), ("999 X", false),
    ])
    func `another head follows an informational one`(status: String, expected: Bool) throws {
        let head = Array("HTTP/1.1 \(status)\r\n\r\n".utf8)
        let isInformational = try RawHead.status(head.span).isInformational
        #expect(isInformational == expected)
    }

    @Test(arguments: 0...999) func `a status is a number of three digits from 100 on, and no switch of protocols`(
        number: Int
    ) throws {
        let digits = "\(number / 100)\(number / 10 % 10)\(number % 10)"
        let head = Array("HTTP/1.1 \(digits) X\r\n\r\n".utf8)
        var code: StatusCode?
        var fault: HeadFault?
        do throws(HeadFault) { code = try RawHead.status(head.span) } catch { fault = error }
        #expect(code?.number == (number < 100 || number == 101 ? nil : number))
        #expect((try? StatusCode(digits)) == code)
        #expect(fault == nil || number == 101 || fault?.text == "the status “\(digits)”")
    }

    @Test(arguments: [
        "", "1", "20", "2000", "-20", "+20", " 20", "0x1", "2e2", "٢٠٠", "\u{0}\u{0}\u{0}", "１00", "200\u{0}",
        "99999999999999999999",
    ])
    func `a text of another form is no status`(text: String) {
        #expect(throws: HeadFault.self) { try StatusCode(text) }
    }

    @Test(arguments: [
        "HTTP/1.1 20", "HTTP/1.1 200", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1\t200 OK\r\n\r\n",
        "HTTP/1.10 200 OK\r\n\r\n",
        "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/\n\n", "",
    ])
    func `a malformed status line is refused`(head: String) {
        let bytes = Array(head.utf8)
        #expect(throws: HeadFault.self) { try RawHead.status(bytes.span) }
        #expect(throws: HeadFault.self) { try mended(head) }
    }
}
