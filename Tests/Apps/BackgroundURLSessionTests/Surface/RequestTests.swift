@testable import FerryURLSession
import FerryCore
import Foundation
import Testing

@Suite struct `Requests and responses` {
    private let url = URL(fileURLWithPath: "/")

    @Test func `both kinds of network are allowed at first`() {
        let request = URLRequest(url: url)
        #expect(request.allowsExpensiveNetworkAccess)
        #expect(request.allowsConstrainedNetworkAccess)
        #expect(request.sentFields.isEmpty)
    }

    @Test func `the two flags are independent and survive copies`() {
        var request = URLRequest(url: url)
        request.allowsExpensiveNetworkAccess = false
        #expect(!request.allowsExpensiveNetworkAccess)
        #expect(request.allowsConstrainedNetworkAccess)
        request.allowsConstrainedNetworkAccess = false
        request.allowsExpensiveNetworkAccess = true
        var copy = request
        copy.httpMethod = "POST"
        copy.setValue("b", forHTTPHeaderField: "A")
        #expect(copy.allowsExpensiveNetworkAccess)
        #expect(!copy.allowsConstrainedNetworkAccess)
        #expect(copy.sentFields == ["A": "b"])
        copy.allowsConstrainedNetworkAccess = true
        #expect(copy.allHTTPHeaderFields == ["A": "b"])
    }

    @Test func `properties without effect are kept with a request, and not sent`() {
        var request = URLRequest(url: url)
        #expect(request.attribution == .developer && !request.assumesHTTP3Capable)
        request.attribution = .user
        request.assumesHTTP3Capable = true
        request.allowsExpensiveNetworkAccess = false
        let copy = request
        #expect(copy.attribution == .user && copy.assumesHTTP3Capable && !copy.allowsExpensiveNetworkAccess)
        #expect(copy.allowsConstrainedNetworkAccess && copy.sentFields.isEmpty)
    }

    @Test func `a storage has the cookies of a task, and keeps what comes with one`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = try #require(configuration.httpCookieStorage)
        let session = URLSession(configuration: configuration)
        let task = session.dataTask(with: try #require(URL(string: "http://example.org/a")))
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "a", .value: "b", .domain: "example.org", .path: "/",
        ]
        let cookie = try #require(HTTPCookie(properties: properties))
        #expect(
            await withCheckedContinuation { done in
                storage.getCookiesFor(task) { done.resume(returning: $0 == nil) }
            })
        storage.storeCookies([cookie], for: task)
        let names = await withCheckedContinuation { done in
            storage.getCookiesFor(task) { done.resume(returning: $0?.map(\.name)) }
        }
        #expect(names == ["a"])
        session.invalidateAndCancel()
    }

    @Test func `the reserved field is never sent`() {
        var request = URLRequest(url: url)
        request.setValue("b", forHTTPHeaderField: "A")
        request.allowsExpensiveNetworkAccess = false
        let sent = request.strippingReserved()
        #expect(sent.allHTTPHeaderFields == ["A": "b"])
        #expect(sent.sentFields == ["A": "b"])
        #expect(!request.allowsExpensiveNetworkAccess)
    }

    @Test(arguments: ["", "x", "-1", "99999999999999999999", "bytes=0-"])
    func `whatever stands in the reserved field is read without harm`(text: String) throws {
        var request = URLRequest(url: url)
        request.allowsExpensiveNetworkAccess = false
        let name = try #require(request.allHTTPHeaderFields?.keys.first)
        request.setValue(text, forHTTPHeaderField: name)
        _ = request.allowsExpensiveNetworkAccess
        request.allowsExpensiveNetworkAccess = true
        request.allowsConstrainedNetworkAccess = true
        #expect(request.allowsExpensiveNetworkAccess && request.allowsConstrainedNetworkAccess)
    }

    @Test func `fields of one name are joined in a response`() throws {
        let facts = ResponseFacts(
            url: "http://a/x.bin", status: 206, version: "HTTP/1.1",
            fields: [
                HeaderField(name: "Via", value: "1"), HeaderField(name: "via", value: "2"),
                HeaderField(name: "Content-Length", value: "7"),
            ])
        let response = try #require(ResponseMapping.response(facts))
        #expect(response.statusCode == 206)
        #expect(response.value(forHTTPHeaderField: "VIA") == "1, 2")
        #expect(response.expectedContentLength == 7)
    }

    @Test(
        arguments: [
            ("http://a/x.bin", nil, "x.bin"), ("http://a/b/%C3%A4%20b.iso?c=d", nil, "ä b.iso"),
            ("http://a/", nil, "download"),
            ("http://a/x", "attachment; filename=\"y z.txt\"", "y z.txt"),
            ("http://a/x", "attachment; filename=\"../../etc/passwd\"", "passwd"), ("http://a/x", "inline", "x"),
        ] as [(String, String?, String)])
    func `a response suggests the server's name, else the URL's`(
        url: String, disposition: String?, name: String
    ) throws {
        let fields = disposition.map { [HeaderField(name: "Content-Disposition", value: $0)] } ?? []
        let facts = ResponseFacts(url: url, status: 200, version: "HTTP/1.1", fields: fields)
        let response: URLResponse = try #require(ResponseMapping.response(facts))
        #expect(response.suggestedFilename == name)
    }
}
