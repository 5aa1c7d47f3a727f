import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Cookies of a transfer` {
    private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(
        arguments: [
            ("a=b", "a=b"), ("a=b; Path=/", "a=b"), ("a=b=c", "a=b=c"), ("a=", "a="), (" a = b ; x", "a=b"),
            ("a=\"b\"", "a=\"b\""),
            ("a=b; HttpOnly; SameSite=Lax", "a=b"), ("a=b; Secure", "a=b"), ("a=b; Path=nonsense", "a=b"),
            ("a=b; Path=/other", nil), ("a=b; path=/d", "a=b"), ("a=b; path=/d/", "a=b"), ("a=b; path=/d/f", "a=b"),
            ("a=b; path=/d/ff", nil),
            ("", nil), ("a", nil), ("=b", nil), (";", nil), ("a=b; Max-Age=0", nil), ("a=b; Max-Age=-1", nil),
            ("a=b; Max-Age=60", "a=b"), ("a=b; Max-Age=nonsense", "a=b"),
            ("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:00:00 GMT", "a=b"),
            ("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT", nil), ("a=b; Expires=Sun, 06-Nov-1994 08:00:00 GMT", nil),
            ("a=b; Expires=Sunday, 06-Nov-94 08:00:00 GMT", nil), ("a=b; Expires=Mon, 07 Nov 1994 08:00:00 GMT", "a=b"),
            ("a=b; Expires=whenever", "a=b"),
        ] as [(String, String?)])
    func `X9 a cookie goes back to its host`(field: String, header: String?) throws {
        #expect(try jar(field, from: "https://h/d/e").header(for: HTTPURL(parsing: "https://h/d/f")) == header)
    }

    @Test(arguments: ["a\u{1}=b", "a=b\u{7F}", "a=b\r\n c=d", "a=b\n\tc=d", "a=b; x=\u{0}"])
    func `CVE_2018_0494 CVE_2022_35252 control bytes and folds add no cookie`(field: String) throws {
        #expect(try jar(field, from: "https://h/").count == 0)
    }

    private static let suffixes = PublicSuffixes {
        PublicSuffixList("// A list.\ncom\nuk\nco.uk\n*.ck\n!www.ck\ngithub.io\n公司.cn\n")
    }

    @Test(arguments: [
        ("https://a.com/", "Domain=com", "https://b.com/"), ("https://a.com/", "Domain=com.", "https://b.com/"),
        ("https://a.com/", "Domain=.COM", "https://b.com/"), ("https://a.com/", "Domain=b.com", "https://b.com/"),
        ("https://a.co.uk/", "Domain=co.uk", "https://b.co.uk/"),
        ("https://a.co.uk/", "Domain=.Co.UK", "https://b.co.uk/"),
        ("https://me.github.io/", "Domain=github.io", "https://you.github.io/"),
        ("https://a.b.ck/", "Domain=b.ck", "https://c.b.ck/"), ("https://www.ck/", "Domain=ck", "https://a.ck/"),
        ("https://a.com/", "Domain=s.a.com", "https://s.a.com/"), ("https://aa.com/", "Domain=a.com", "https://a.com/"),
        ("https://a.xn--55qx5d.cn/", "Domain=xn--55qx5d.cn", "https://b.xn--55qx5d.cn/"),
        ("https://[::1]/", "Domain=::1", "https://[::2]/"), ("https://co.uk/", "Domain=co.uk", "https://b.co.uk/"),
        ("https://a.com/", "x", "https://a.com./"), ("https://1.2.3.4/", "Domain=3.4", "https://9.9.3.4/"),
        ("https://a.com./", "Domain=com.", "https://b.com./"),
    ])
    func `X9 CVE_2022_27779 CVE_2023_46218 CVE_2026_8924 CVE_2014_3613 CVE_2014_3620 no other host gets a cookie`(
        from: String, attribute: String, to: String
    ) throws {
        #expect(try jar("a=b; Path=/; \(attribute)", from: from).header(for: HTTPURL(parsing: to)) == nil)
    }

    @Test(arguments: [
        ("https://data.a.com/", "a.com", "https://login.a.com/"), ("https://data.a.com/", ".A.com", "https://a.com/"),
        ("https://a.com/", "a.com", "https://data.a.com/"),
        ("https://x.y.a.co.uk/", "y.a.co.uk", "https://z.y.a.co.uk/"),
        ("https://s.www.ck/", "www.ck", "https://www.ck/"),
        ("https://a.com/", "Other.com; Domain=a.com", "https://b.a.com/"),
    ])
    func `X9 a cookie of a domain goes to all its hosts`(from: String, domain: String, to: String) throws {
        #expect(try jar("a=b; Path=/; Domain=\(domain)", from: from).header(for: HTTPURL(parsing: to)) == "a=b")
    }

    @Test func `X9 without a list of public suffixes a cookie stays with its host`() throws {
        var jar = TransferCookies()
        jar.store(setCookie: "a=b; Domain=a.com", from: try HTTPURL(parsing: "https://s.a.com/"), now: now)
        #expect(try jar.header(for: HTTPURL(parsing: "https://s.a.com/")) == "a=b")
        #expect(try jar.header(for: HTTPURL(parsing: "https://t.a.com/")) == nil)
    }

    @Test func `X9 a cookie for another domain is not kept`() throws {
        #expect(try jar("a=b; Domain=other.com", from: "https://s.a.com/").count == 0)
        #expect(try jar("a=b; Domain=com", from: "https://a.com/").count == 0)
    }

    @Test func `X9 cookies of earlier journals keep their host`() throws {
        let text = #"{"cookies":[{"name":"a","value":"b","host":"h","path":"/","secure":false}]}"#
        let jar = try JSONDecoder().decode(TransferCookies.self, from: Data(text.utf8))
        #expect(try jar.header(for: HTTPURL(parsing: "https://h/")) == "a=b")
        #expect(try jar.header(for: HTTPURL(parsing: "https://x.h/")) == nil)
    }

    @Test func `X9 hosts ignore case`() throws {
        #expect(try jar("a=b", from: "https://H/").header(for: HTTPURL(parsing: "https://h/")) == "a=b")
    }

    @Test func `X9 a Secure cookie travels over TLS only`() throws {
        var jar = try jar("a=b; Secure", from: "https://h/")
        let plain = try HTTPURL(parsing: "http://h/")
        #expect(jar.header(for: plain) == nil)
        jar.store(setCookie: "a=evil", from: plain, now: now)
        jar.store(setCookie: "c=d; Secure", from: plain, now: now)
        #expect(try jar.header(for: HTTPURL(parsing: "https://h/")) == "a=b")
    }

    @Test func `X9 a newer cookie replaces and an expired one removes`() throws {
        let url = try HTTPURL(parsing: "https://h/")
        var jar = try jar("a=1", from: "https://h/")
        jar.store(setCookie: "b=2", from: url, now: now)
        jar.store(setCookie: "a=3", from: url, now: now)
        #expect(jar.header(for: url) == "b=2; a=3")
        jar.store(setCookie: "b=; Max-Age=0", from: url, now: now)
        #expect(jar.header(for: url) == "a=3")
    }

    @Test func `X9 at most fifty cookies are kept`() throws {
        let url = try HTTPURL(parsing: "https://h/")
        var jar = TransferCookies()
        for number in 0..<60 { jar.store(setCookie: "c\(number)=x", from: url, now: now) }
        #expect(jar.count == 50)
        #expect(jar.header(for: url)?.hasPrefix("c10=x; ") == true)
    }

    @Test func `X9 CVE_2022_32205 large cookies do not break later requests`() throws {
        let url = try HTTPURL(parsing: "https://h/")
        var jar = TransferCookies()
        jar.store(setCookie: "a=" + String(repeating: "x", count: 1 << 20), from: url, now: now)
        jar.store(setCookie: "a=" + String(repeating: "x", count: 4096), from: url, now: now)
        #expect(jar.count == 0)
        for number in 0..<50 {
            jar.store(setCookie: "c\(number)=" + String(repeating: "x", count: 4000), from: url, now: now)
        }
        #expect((4000...8192).contains(jar.header(for: url)?.utf8.count ?? 0))
    }

    private func jar(_ field: String, from url: String) throws -> TransferCookies {
        var jar = TransferCookies()
        jar.store(setCookie: field, from: try HTTPURL(parsing: url), now: now, suffixes: Self.suffixes)
        return jar
    }
}
