import FerryCore
import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

@Suite struct `The cookies of a session` {
    private static let suffixes = PublicSuffixes { PublicSuffixList("com\nuk\nco.uk\ngithub.io\n") }

    private func cookie(_ field: String, from url: String) throws -> (HTTPCookie, URL) {
        let url = try #require(URL(string: url))
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
        return (try #require(cookies.first), url)
    }

    @Test(arguments: [
        ("https://a.co.uk/", "co.uk"), ("https://a.co.uk/", ".co.uk"), ("https://me.github.io/", "github.io"),
        ("https://a.com/", "com"), ("https://a.com/", "b.com"), ("https://a.com/", "x.a.com"),
        ("https://1.2.3.4/", "3.4"), ("https://github.io/", ".github.io"),
    ])
    func `a cookie for a public suffix is not stored`(url: String, domain: String) throws {
        let (cookie, url) = try cookie("k=v; Domain=\(domain)", from: url)
        #expect(!cookie.belongs(to: url, Self.suffixes))
    }

    @Test(arguments: [
        ("https://a.com/", ""), ("https://s.a.com/", "; Domain=a.com"), ("https://a.com/", "; Domain=.a.com"),
        ("https://s.a.co.uk/", "; Domain=a.co.uk"), ("https://1.2.3.4/", ""), ("https://github.io/", ""),
    ])
    func `a cookie for its host or for a domain of its own is stored`(url: String, domain: String) throws {
        let (cookie, url) = try cookie("k=v\(domain)", from: url)
        #expect(cookie.belongs(to: url, Self.suffixes))
    }

    @Test func `without a list only the host's own cookies are stored`() throws {
        let (own, host) = try cookie("k=v; Domain=s.a.com", from: "https://s.a.com/")
        #expect(own.belongs(to: host, .none))
        let (parent, other) = try cookie("k=v; Domain=a.com", from: "https://s.a.com/")
        #expect(!parent.belongs(to: other, .none))
    }
}
