import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

@Suite struct `Cookies of a task in the app` {
    private func field(_ cookie: [HTTPCookiePropertyKey: Any], for address: String) -> String? {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        var properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "1", .domain: "example.org", .path: "/"]
        properties.merge(cookie) { $1 }
        if let cookie = HTTPCookie(properties: properties) { configuration.httpCookieStorage?.setCookie(cookie) }
        guard let url = URL(string: address) else { return nil }
        return CookieJar(configuration, request: URLRequest(url: url)).field(for: address)
    }

    @Test func `23 a secure cookie does not go in plain text`() {
        #expect(field([.secure: "TRUE"], for: "https://example.org/") == "a=1")
        #expect(field([.secure: "TRUE"], for: "http://example.org/") == nil)
    }

    @Test(arguments: [
        ("/files", "/files", true), ("/files", "/files/a", true), ("/files/", "/files/a", true),
        ("/files", "/filesystem", false),
        ("/files", "/", false), ("/", "/any", true), ("/files", "/files/%D6%D0", true), ("/files", "/caf%E9", false),
    ])
    func `23 a cookie goes to its path and below`(path: String, asked: String, goes: Bool) {
        #expect((field([.path: path], for: "http://example.org" + asked) != nil) == goes)
    }

    @Test func `23 a cookie goes to its host alone`() {
        #expect(field([:], for: "http://example.org/") == "a=1")
        #expect(field([:], for: "http://example.com/") == nil)
    }
}
