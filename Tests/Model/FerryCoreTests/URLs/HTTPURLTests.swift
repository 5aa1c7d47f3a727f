import FerryCore
import Foundation
import Testing

@Suite struct `HTTP URLs` {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"), ("HTTPS://Example.COM/A", "https://example.com/A"),
        ("http://h:80/", "http://h/"), ("https://h:443/", "https://h/"), ("http://h:443/", "http://h:443/"),
        ("http://h:/x", "http://h/x"), ("http://h:08080/", "http://h:8080/"), ("http://h:65535/", "http://h:65535/"),
        ("http://h?q", "http://h/?q"), ("http://h#f", "http://h/#f"), ("http://h/?", "http://h/?"),
        ("http://h/a/./b/../c", "http://h/a/c"), ("http://h/../../x", "http://h/x"), ("http://h/a/..", "http://h/"),
        ("http://h/a/.", "http://h/a/"), ("http://h//a//b", "http://h//a//b"),
        ("http://h/%2e%2e/x", "http://h/%2e%2e/x"),
        // Percent-encoding
        ("http://h/ü?ß=é#ñ", "http://h/%C3%BC?%C3%9F=%C3%A9#%C3%B1"), ("http://h/日本", "http://h/%E6%97%A5%E6%9C%AC"),
        ("http://h/a|b{c}^`\"<>", "http://h/a%7Cb%7Bc%7D%5E%60%22%3C%3E"), ("http://h/a\\b", "http://h/a%5Cb"),
        ("http://h/100%", "http://h/100%25"), ("http://h/%zz%41%4", "http://h/%25zz%41%254"),
        ("http://h/?a[]=1", "http://h/?a%5B%5D=1"), ("http://h/a@b:c;d=e", "http://h/a@b:c;d=e"),
        ("http://h/%0d%0aX:y", "http://h/%0d%0aX:y"), ("http://h/a\u{3000}b", "http://h/a%E3%80%80b"),
        // Hosts
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://日本語。jp/", "http://xn--wgv71a119e.jp/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://%65xample.com/", "http://example.com/"), ("http://a_b.example/", "http://a_b.example/"),
        ("http://example.com./", "http://example.com./"), ("http://ⓛocalhost/", "http://localhost/"),
        // Addresses
        ("http://127.0.0.1/", "http://127.0.0.1/"), ("http://127.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"), ("http://0x7f000001/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"), ("http://0x7F.0.0x1/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"), ("http://127。0.0.1/", "http://127.0.0.1/"),
        ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"), ("http://1.2.3/", "http://1.2.0.3/"),
        ("http://[::1]/", "http://[::1]/"), ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
        ("http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"), ("http://[0:0:0:0:0:0:0:0]/", "http://[::]/"),
        ("http://[1::]/", "http://[1::]/"), ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
    ])
    func `Q7 a URL is brought into one canonical form`(text: String, canonical: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.string == canonical)
        #expect(try HTTPURL(parsing: canonical) == url)
        // Foundation and the HTTP client read the same URL.
        #expect(URL(string: canonical)?.absoluteString == canonical)
    }

    @Test(arguments: [
        "", " ", "   ", "http://", "https:///x", "http:///", "http:/x", "http:x", "https:", "//h/x", "/x", "x",
        "example.com/x",
        "example.com:8080/x", "localhost:80", "h:path", "http//h/x", "://h/x", "1http://h/", "ht tp://h/", "http ://h",
        "http://:80/", "http://@/", "http://u@/", "http://u:p@:80/", "http://?x", "http://#x", "http://./",
        "http://../",
        "http://a..b/", "http://.a/",
        // Characters
        "http://h/a b", "http://h /", " http://h/", "http://h/ ", "http://h/\n", "http://h/a\tb", "http://h/a\u{0}b",
        "http://h/\u{7F}", "http://h/\u{85}", "http://h\r\nX: y/", "http://h/\r\nX: y", "http://a\\b/", "http://a\\@b/",
        "http://good.example\\@evil.example/", "http://h\\/x", "http://u:p\\@h/",
        // Percent-encoded in the host
        "http://a%2Fb/", "http://a%5Cb/", "http://a%40b/", "http://a%3A80/", "http://a%23b/", "http://a%3Fb/",
        "http://a%00b/",
        "http://a%0d%0ab/", "http://a%20b/", "http://a%25b/", "http://a%7Fb/", "http://a%zz/", "http://a%/",
        "http://%ff/",
        "http://a%C2%85b/",
        // Ports
        "http://h:0/", "http://h:65536/", "http://h:99999/", "http://h:-1/", "http://h:+80/", "http://h:8 0/",
        "http://h:80a/",
        "http://h:80:80/", "http://h:18446744073709551696/", "http://h:٣/", "http://h:0x50/",
        // Userinfo
        "https://u:p@ss@host/", "http://u@@h/", "http://u%zz@h/", "http://u%0d%0a@h/", "http://u:%00@h/",
        "http://u%ff@h/",
        // Addresses
        "http://1.2.3.4.5/", "http://256.1.1.1/", "http://1.2.3.256/", "http://4294967296/", "http://0x100000000/",
        "http://08.0.0.1/", "http://a.1/", "http://1.256.1/", "http://99999999999999999999999/",
        "http://[::1/", "http://::1/", "http://[]/", "http://[1.2.3.4]/", "http://[::1]x/", "http://[:::]/",
        "http://[1::2::3]/",
        "http://[1:2:3:4:5:6:7]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[12345::]/", "http://[::g]/", "http://[:1]/",
        "http://[1:]/", "http://[::1.2.3]/", "http://[1.2.3.4::]/", "http://[fe80::1%eth0]/", "http://[fe80::1%25]/",
        "http://[fe80::1%25a/b]/", "http://[v1.x]/", "http://[1:2:3:4:5:6:7::8]/",
        // Names
        "http://a!b/", "http://a,b/", "http://a*b/", "http://<h>/", "http://a|b/", "http://a\u{200D}b/", "http://a／b/",
        "http://℀.example/", "http://a\u{FFFD}/", "http://h$(id)/", "http://a;b/",
    ])
    func `Q7 a URL that cannot be fetched is refused`(text: String) {
        #expect(code(of: text) == .invalidURL)
    }

    @Test(arguments: [
        "ftp://h/x", "file:///etc/passwd", "FILE:///x", "gopher://h/", "scp://h/x", "unix:///run/x",
        "data:text/plain,x",
        "javascript:alert(1)", "mailto:a@b", "magnet:?xt=x", "httpx://h/", "ws://h/", "x-y+z.1://h/",
    ])
    func `Q7 other schemes are unsupported`(text: String) {
        #expect(code(of: text) == .unsupportedScheme)
    }

    /// Foundation and Ferry must find the same host in the canonical form of every accepted URL.
    @Test func `Q7 no accepted URL means another host to another parser`() throws {
        let pieces = [
            "a", "b.c", "@", ":", "/", "?", "#", "\\", "%2f", "%40", "%41", "[", "]", "[::1]", "::", "80", ".", "..",
            "ü", "\u{301}",
            "0x7f", "127.0.0.1", "。", ";", "&", "%", "//", "-", "_",
        ]
        var accepted = 0
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    guard let url = try? HTTPURL(parsing: "http://" + first + second + third) else { continue }
                    accepted += 1
                    let components = try #require(URLComponents(string: url.string))
                    #expect(components.encodedHost == url.host && components.port ?? 80 == url.port)
                    #expect(components.percentEncodedPath == url.path && components.percentEncodedQuery == url.query)
                    #expect(try HTTPURL(parsing: url.string) == url.withoutUserinfo)
                }
            }
        }
        #expect(accepted > 1000)
    }

    @Test func `Q7 a URL has at most 16 KiB`() throws {
        let longest = "http://h/" + String(repeating: "a", count: 16 * 1024 - 9)
        #expect(try HTTPURL(parsing: longest).string == longest)
        #expect(code(of: longest + "a") == .invalidURL)
        #expect(code(of: "http://h/" + String(repeating: "ü", count: 4000)) == .invalidURL)
        #expect(code(of: "http://" + String(repeating: "a.", count: 200) + "b/") == .invalidURL)
    }

    @Test(
        arguments: [
            ("http://u:p@h/", "u", "p"), ("http://u@h/", "u", nil), ("http://u:@h/", "u", ""),
            ("http://:p@h/", "", "p"),
            ("http://a%40b:p%3Aq%2F@h/", "a@b", "p:q/"), ("http://u:a:b@h/", "u", "a:b"), ("http://ü:é@h/", "ü", "é"),
        ] as [(String, String, String?)])
    func `Q7 userinfo is cut out and decoded`(text: String, user: String, password: String?) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.credentials == Credentials(user: user, password: password))
        #expect(url.string == "http://h/")
        #expect(url.withoutUserinfo.credentials == nil)
        #expect(try String(decoding: JSONEncoder().encode([url]), as: UTF8.self) == #"["http:\/\/h\/"]"#)
    }

    @Test func `Q7 an empty userinfo is none`() throws {
        #expect(try HTTPURL(parsing: "http://@h/").credentials == nil)
    }

    @Test func `CVE_2020_8169 a password with an at sign is refused and not shown`() {
        let error = #expect(throws: ServiceError.self) { try HTTPURL(parsing: "https://u:p@ss@host/") }
        #expect(error?.message.contains("ss@") == false && error?.message.contains("u:p") == false)
        #expect(error?.message.contains("host/") == true)
    }

    @Test func `CVE_2016_8624 the fragment does not choose the host`() throws {
        let url = try HTTPURL(parsing: "http://example.com#@evil.example/x")
        #expect(url.host == "example.com" && url.requestTarget == "/")
        #expect(try HTTPURL(parsing: "http://example.com?@evil.example/x").host == "example.com")
    }

    @Test func `CVE_2024_38428 a semicolon in the userinfo does not choose the host`() throws {
        let url = try HTTPURL(parsing: "http://a;b@host/")
        #expect(url.host == "host" && url.credentials?.user == "a;b")
    }

    @Test func `CVE_2022_27780 an encoded slash in the host is refused`() {
        #expect(code(of: "http://a.example%2F127.0.0.1/") == .invalidURL)
    }

    @Test(arguments: ["host:path", "localhost:8080/x", "ftphost:21/x"])
    func `CVE_2024_10524 a shorthand is not taken for another scheme`(text: String) {
        #expect(code(of: text) == .invalidURL)
    }

    @Test(arguments: [
        "http://h/\r\nA: b", "http://h\r\n/", "http://h%0d%0aA:b/", "http://u\r\n@h/", "http://h/?\nx", "http://h/#\rx",
    ])
    func `CVE_2014_8150 CVE_2017_6508 line breaks cannot add a field`(text: String) {
        #expect(code(of: text) == .invalidURL)
    }

    @Test func `CVE_2026_58469 a URL of spaces is an error`() {
        #expect(code(of: String(repeating: " ", count: 300)) == .invalidURL)
    }

    @Test func `CVE_2022_27775 one address in two zones is two origins`() throws {
        let first = try HTTPURL(parsing: "http://[fe80::1%25eth0]:81/")
        let second = try HTTPURL(parsing: "http://[fe80::1%25eth1]:81/")
        #expect(first.origin != second.origin)
        #expect(first.hostField == "[fe80::1]:81")
    }

    @Test func `the parts of a URL`() throws {
        let url = try HTTPURL(parsing: "https://u:p@Example.com:8443/a/b?c=d#e")
        #expect(url.scheme == "https" && url.host == "example.com" && url.port == 8443 && url.isSecure)
        #expect(url.path == "/a/b" && url.query == "c=d" && url.fragment == "e")
        #expect(url.requestTarget == "/a/b?c=d" && url.hostField == "example.com:8443")
        #expect(url.origin == Origin(scheme: "https", host: "example.com", port: 8443))
        #expect(url.withoutFragment.string == "https://example.com:8443/a/b?c=d")
    }

    @Test(arguments: [
        ("https://u:p@h/a", "https://h/a"), ("https://h/a?token=s&x=y#frag", "https://h/a?token=&x="),
        ("https://h/a?secret", "https://h/a?"), ("https://h/a?a=b=c&&d", "https://h/a?a="),
        ("https://h/a?", "https://h/a?"),
    ])
    func `X12 CVE_2019_3500 logs and records show neither userinfo nor values`(text: String, shown: String) throws {
        let url = try HTTPURL(parsing: text)
        #expect(url.redacted == shown)
        #expect("\(url)" == shown)
    }

    @Test func `E2 the sentence names the URL without its secrets and controls`() {
        let error = #expect(throws: ServiceError.self) {
            try HTTPURL(parsing: "http://u:geheim@h:0/a?token=geheim#geheim\u{1B}")
        }
        #expect(error?.message.contains("geheim") == false && error?.message.contains("h:0/a") == true)
        let other = #expect(throws: ServiceError.self) { try HTTPURL(parsing: "http://h/\u{1B}[2J") }
        #expect(other?.message.unicodeScalars.contains("\u{1B}") == false)
    }

    private func code(of text: String) -> ErrorCode? {
        do throws(ServiceError) {
            _ = try HTTPURL(parsing: text)
            return nil
        } catch { return error.code }
    }
}
