import FerryCore
import Testing

@Suite struct `Fields of the caller` {
    @Test(arguments: [
        "Host", "host", "Connection", "Keep-Alive", "Content-Length", "Transfer-Encoding", "TE", "te", "Trailer",
        "Upgrade",
        "Expect", "Proxy-Authorization", "proxy-connection", "Proxy-", "PROXY-X",
    ])
    func `Q4 fields of the connection cannot be set`(name: String) {
        #expect(code([HeaderField(name: name, value: "x")]) == .invalidRequest)
    }

    @Test(arguments: ["", " ", "a b", "a:", "a\r\nb", "a\u{0}", "ä", "(a)", "a/b", "a=b", "\"a\"", "a\t", "A@b", "{}"])
    func `Q6 names are tokens`(name: String) {
        #expect(code([HeaderField(name: name, value: "x")]) == .invalidRequest)
    }

    @Test(arguments: ["a\r\nX: y", "a\nb", "a\rb", "a\u{0}", "\u{1B}[0m", "a\u{7F}", "a\u{85}b", "\u{8}"])
    func `Q6 CVE_2014_8150 CVE_2026_50574 values hold no control characters`(value: String) {
        let fields = [HeaderField(name: "X-A", value: value)]
        #expect(code(fields) == .invalidRequest)
    }

    @Test(arguments: ["", "a\tb", "ü", "a b", "\"q\"; x=y", "Bearer abc.def"])
    func `Q6 all else may stand in a value`(value: String) throws {
        #expect(try RequestFieldRule.kind(method: "GET", fields: [HeaderField(name: "X-A_1!", value: value)]) == .plain)
    }

    @Test(arguments: ["CONNECT", "connect"]) func `the method CONNECT is refused`(method: String) {
        let error = #expect(throws: ServiceError.self) { try RequestFieldRule.kind(method: method, fields: []) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `Q6 all fields together have at most 64 KiB`() throws {
        func fields(_ count: Int) -> [HeaderField] {
            [HeaderField(name: "A", value: String(repeating: "x", count: count)), HeaderField(name: "B", value: "")]
        }
        #expect(try RequestFieldRule.kind(method: "GET", fields: fields(64 * 1024 - 10)) == .plain)
        #expect(code(fields(64 * 1024 - 9)) == .invalidRequest)
    }

    @Test(
        arguments: [
            ("GET", [], .plain), ("GET", [("Accept", "*/*"), ("Cookie", "a=b")], .plain),
            ("GET", [("Range", "bytes=0-499")], .ownRange(.from(0, to: 499))),
            ("GET", [("range", "Bytes=500-")], .ownRange(.from(500, to: nil))),
            ("GET", [("Range", "bytes=-500")], .ownRange(.suffix(500))),
            ("GET", [("If-Match", "\"a\"")], .raw), ("GET", [("if-none-match", "*")], .raw),
            ("GET", [("If-Range", "\"a\"")], .raw),
            ("GET", [("If-Modified-Since", "x")], .raw), ("GET", [("Accept-Encoding", "gzip")], .coded),
            ("GET", [("Accept-Encoding", "br;q=1.0, gzip;q=0.9"), ("If-Range", "\"a\"")], .raw),
            ("GET", [("Accept-Encoding", "gzip"), ("Range", "bytes=0-")], .raw),
            ("POST", [("Accept-Encoding", "gzip")], .raw),
            ("GET", [("accept-encoding", " Identity")], .plain),
            ("GET", [("Range", "bytes=0-"), ("If-Range", "\"a\"")], .raw),
            ("POST", [], .raw), ("HEAD", [], .raw), ("get", [], .raw), ("POST", [("Range", "bytes=0-")], .raw),
        ] as [(String, [(String, String)], RequestKind)])
    func `Q5 fields and method say what kind of transfer it is`(
        method: String, pairs: [(String, String)], kind: RequestKind
    ) throws {
        let fields = pairs.map { HeaderField(name: $0.0, value: $0.1) }
        #expect(try RequestFieldRule.kind(method: method, fields: fields) == kind)
    }

    @Test(
        arguments: [
            ("", true), ("gzip", true), ("br;q=1.0, gzip;q=0.9, deflate;q=0.8", true), ("*", true), ("identity", true),
            ("identity;q=0.1, *;q=0", true), ("gzip, identity;q=0", false), ("gzip, *;q=0.000", false),
            ("GZIP, *; Q=0", false), ("gzip;q=0", true),
        ])
    func `Q5 an answer without a coding is accepted unless the field forbids it`(value: String, isAccepted: Bool) {
        #expect(AcceptedCodings.admitIdentity(value) == isAccepted)
        let field = HeaderField(name: "accept-encoding", value: value)
        let other = HeaderField(name: "X", value: "gzip")
        #expect(AcceptedCodings.leftToFerry([field, other]) == (isAccepted ? [other] : [field, other]))
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=0--1",
        "bytes=-0",
        "bytes= 0-1", "bytes=0-9999999999999999999999", "bytes 0-1", "bytes=+1-2", "0-1",
    ])
    func `Q5 only one byte range may be asked for`(value: String) {
        #expect(code([HeaderField(name: "Range", value: value)]) == .invalidRequest)
    }

    @Test func `Q5 two Range fields are refused`() {
        let field = HeaderField(name: "Range", value: "bytes=0-1")
        #expect(code([field, field]) == .invalidRequest)
    }

    @Test(arguments: ["", "G T", "GET\r\n", "GET /", "Ä"])
    func `Q6 a method is a token`(method: String) {
        #expect(code([], method: method) == .invalidRequest)
    }

    // MARK: Origins

    private static let given = [
        "Authorization", "Proxy-Authorization", "Cookie", "Referer", "X-Api-Key", "user-agent", "Accept",
        "Accept-Language",
    ].map { HeaderField(name: $0, value: "v") }

    /// Host, port and scheme each distinguish origins: CVE-2018-1000007, CVE-2021-31879, CVE-2022-27774,
    /// CVE-2022-27776, CVE-2018-18074, CVE-2025-14524.
    @Test(arguments: [
        "https://other/", "https://h:444/", "http://h/", "http://h:443/", "https://sub.h/", "https://h./",
    ])
    func `X5 CVE_2018_1000007 CVE_2022_27774 CVE_2018_18074 CVE_2025_14524 another origin gets no secrets`(
        target: String
    ) throws {
        let home = try HTTPURL(parsing: "https://h/").origin
        let origin = try HTTPURL(parsing: target).origin
        let dropped = RequestFields.forOrigin(origin, fields: Self.given, givenFor: home)
        #expect(dropped.map(\.name) == ["user-agent", "Accept"])
        let kept = RequestFields.forOrigin(origin, fields: Self.given, givenFor: home, foreignFields: .keep)
        #expect(kept.map(\.name) == ["Referer", "X-Api-Key", "user-agent", "Accept", "Accept-Language"])
    }

    @Test func `X5 the same origin gets all fields`() throws {
        let home = try HTTPURL(parsing: "https://h/").origin
        let same = try HTTPURL(parsing: "https://H:443/x").origin
        #expect(RequestFields.forOrigin(same, fields: Self.given, givenFor: home) == Self.given)
    }

    @Test(
        arguments: [
            ("https://u:p@h/a#f", "https://h/a"), ("https://h/a?b", "https://h/a?b"), ("nonsense", nil),
            ("about:blank", nil),
        ] as [(String, String?)])
    func `X10 CVE_2021_22876 a Referer has neither userinfo nor fragment`(value: String, sent: String?) {
        #expect(RequestFields.referer(value) == sent)
    }

    @Test func `X7 Basic credentials`() {
        #expect(
            Credentials(user: "Aladdin", password: "open sesame").basicAuthorization
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(Credentials(user: "u", password: nil).basicAuthorization == "Basic dTo=")
        #expect(Credentials(user: "test", password: "123£").basicAuthorization == "Basic dGVzdDoxMjPCow==")
        #expect(!"\(Credentials(user: "u", password: "geheim"))".contains("geheim"))
        #expect(!String(reflecting: Credentials(user: "u", password: "geheim")).contains("geheim"))
    }

    private func code(_ fields: [HeaderField], method: String = "GET") -> ErrorCode? {
        do throws(ServiceError) {
            _ = try RequestFieldRule.kind(method: method, fields: fields)
            return nil
        } catch { return error.code }
    }
}
