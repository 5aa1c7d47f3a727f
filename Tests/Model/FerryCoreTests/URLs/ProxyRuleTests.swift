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
        #expect(try ProxyChoice(parsing: "https://proxy").port == 443)
        let socks = try ProxyChoice(parsing: "socks5h://u:p@proxy")
        #expect(socks.scheme == .socks5h && socks.port == 1080)
        #expect(socks.credentials == Credentials(user: "u", password: "p"))
    }

    @Test func `a proxy is shown without its credentials`() throws {
        #expect(try ProxyChoice(parsing: "https://u:geheim@Proxy:8443/x").shown == "https://proxy:8443")
    }

    @Test(arguments: [
        ("http", false, true), ("https", false, true), ("socks5", true, true), ("socks5h", true, true),
    ])
    func `an HTTP proxy is sent requests for http URLs, and all else goes through a tunnel`(
        scheme: String, plain: Bool, secure: Bool
    ) throws {
        let proxy = try ProxyChoice(parsing: "\(scheme)://p:1")
        #expect(try proxy.tunnels(to: HTTPURL(parsing: "http://h/")) == plain)
        #expect(try proxy.tunnels(to: HTTPURL(parsing: "https://h/")) == secure)
    }

    @Test(arguments: [
        "socks4://p:1", "socks4a://p:1", "socks://p:1", "ftp://p", "http://", "", "http://p:0", "http://p:99999",
        "socks5://:geheim@p", "p/a b",
        "p:1?x", "p p", "http://a@b@c", "http://p\r\n", "://p", "http://p\\q", "u:geheim@",
    ])
    func `Q11 another proxy is an invalid request`(text: String) {
        let error = #expect(throws: ServiceError.self) { try ProxyChoice(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("geheim") == false)
    }

    @Test func `a user name that SOCKS cannot carry is refused with its reason`() {
        let long = String(repeating: "x", count: 256)
        for userinfo in [long, "u:\(long)"] {
            let error = #expect(throws: ServiceError.self) { try ProxyChoice(parsing: "socks5://\(userinfo)@proxy") }
            #expect(error?.message.contains("255 bytes at most") == true)
        }
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
