import FerryCore
import Testing

@Suite struct `Proxy variables` {
    @Test(
        arguments: [
            ("http://h/", [:], nil), ("http://h/", ["http_proxy": "p:1"], "p:1"),
            ("http://h/", ["HTTP_PROXY": "p:1"], nil),
            ("https://h/", ["http_proxy": "p:1"], nil), ("https://h/", ["HTTPS_PROXY": "p:1"], "p:1"),
            ("https://h/", ["HTTPS_PROXY": "p:1", "https_proxy": "q:2"], "q:2"),
            ("https://h/", ["HTTPS_PROXY": "p:1", "https_proxy": ""], "p:1"),
            ("http://h/", ["ALL_PROXY": "p:1"], "p:1"),
            ("http://h/", ["all_proxy": "p:1", "http_proxy": "q:2"], "q:2"), ("http://h/", ["http_proxy": ""], nil),
            ("http://h/", ["http_proxy": "p:1", "no_proxy": "h"], nil),
            ("http://h/", ["http_proxy": "p:1", "NO_PROXY": "*"], nil),
            ("http://h/", ["http_proxy": "p:1", "no_proxy": "x", "NO_PROXY": "h"], "p:1"),
            ("http://h/", ["http_proxy": "p"], "p:1080"), ("http://h/", ["http_proxy": "http://P:3128/"], "p:3128"),
            ("http://h/", ["http_proxy": "http://p:3128/a/path?x"], "p:3128"),
            ("http://h/", ["http_proxy": "p:1/a"], "p:1"),
            ("http://h/", ["http_proxy": "[::1]:3128"], "[::1]:3128"),
        ] as [(String, [String: String], String?)])
    func `Q11 the variables choose the proxy`(url: String, environment: [String: String], proxy: String?) throws {
        let choice = try ProxyRule.choose(for: HTTPURL(parsing: url), environment: environment)
        #expect(choice.map { "\($0.host):\($0.port)" } == proxy)
    }

    @Test func `Q11 scheme and credentials of a proxy`() throws {
        let choice = try ProxyChoice(parsing: "HTTP://u%40x:p%3A@proxy:9050")
        #expect(choice.scheme == .http && choice.host == "proxy" && choice.port == 9050)
        #expect(choice.credentials == Credentials(user: "u@x", password: "p:"))
        #expect(try ProxyChoice(parsing: "SOCKS5://proxy").scheme == .socks5)
        #expect(try ProxyChoice(parsing: "proxy").scheme == .http)
    }

    @Test(arguments: [
        "https://p:1", "socks4://p:1", "socks5h://p:1", "ftp://p", "http://", "", "http://p:0", "http://p:99999",
        "socks5://u:geheim@p", "SOCKS5://u@p:1", "p/a b",
        "p:1?x", "p p", "http://a@b@c", "http://p\r\n", "://p", "http://p\\q", "u:geheim@",
    ])
    func `Q11 another proxy is an invalid request`(text: String) {
        let error = #expect(throws: TransferError.self) { try ProxyChoice(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("geheim") == false)
    }

    /// The client would connect without them, and the proxy would be blamed.
    @Test func `a SOCKS proxy with credentials is refused with its reason`() {
        let error = #expect(throws: TransferError.self) { try ProxyChoice(parsing: "socks5://u:p@proxy:9050") }
        #expect(error?.message.contains("SOCKS proxy is used without user name and password") == true)
    }

    @Test(arguments: [
        ("h", "h", true), ("a.h", "h", true), ("ah", "h", false), ("a.h", ".h", true), ("h", ".h", true),
        ("h", "a.h", false),
        ("h", "H", true), ("h", "x, h ,y", true), ("h", "x h", true), ("h.", "h", true), ("h", "h.", true),
        ("h", "", false),
        ("h", ",", false), ("h", ".", false), ("h", "*", true), ("h", "a,*", true), ("a.h", "*.h", false),
        ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false),
        ("10.1.2.3", "10.1.2.0/31", false), ("10.1.2.3", "10.1.2.2/31", true), ("10.1.2.3", "0.0.0.0/0", true),
        ("10.1.2.3", "10.1.2.3/32", true), ("10.1.2.3", "10.0.0.0/33", false), ("10.1.2.3", "10.0.0.0/", false),
        ("10.1.2.3", "10.0.0.0/-1", false), ("10.1.2.3", "10.0.0.0/8/8", false), ("10.1.2.3", "2.3", false),
        ("10.1.2.3", "/8", false),
        ("[::1]", "::1", true), ("[::1]", "[::1]", true), ("[fd00::5]", "fd00::/8", true),
        ("[fe00::5]", "fd00::/8", false),
        ("[2001:db8::1]", "2001:db8::/64", true), ("[2001:db8:0:1::1]", "2001:db8::/64", false),
        ("[2001:db8::1]", "2001:db8::/128", false), ("[::1]", "0.0.0.0/0", false),
        ("[2001:db8::3]", "2001:db8::2/127", true),
        ("[2001:db8::1]", "::/0", true),
    ])
    func `Q11 no_proxy names hosts, domains, addresses and blocks`(host: String, list: String, bypasses: Bool) {
        #expect(ProxyRule.bypasses(host: host, noProxy: list) == bypasses)
    }
}
