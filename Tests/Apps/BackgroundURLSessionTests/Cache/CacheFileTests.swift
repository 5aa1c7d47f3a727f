import FerryCore
import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

@Suite struct `The file of a cached response` {
    private func kept(_ response: URLResponse, userInfo: [AnyHashable: Any]? = nil) -> KeptResponse {
        KeptResponse(
            CachedURLResponse(
                response: response, data: Data("body".utf8), userInfo: userInfo, storagePolicy: .allowed),
            stored: Date(timeIntervalSince1970: 1_000_000),
            selecting: [HeaderField(name: "Accept-Language", value: "de")])
    }

    private func response() throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://h.example/a?b=1"))
        let fields = ["Content-Type": "text/plain", "ETag": "\"x\""]
        return try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    @Test func `holds all that is known of a response of HTTP`() throws {
        let data = try #require(CacheFile.encode(kept(try response(), userInfo: ["a": ["b": 1]])))
        let read = try #require(CacheFile.decode(data))
        let response = try #require(read.response as? HTTPURLResponse)
        #expect(response.statusCode == 404 && response.url?.absoluteString == "http://h.example/a?b=1")
        #expect(response.value(forHTTPHeaderField: "ETag") == "\"x\"")
        #expect(read.data == Data("body".utf8) && read.storagePolicy == .allowed)
        #expect(read.stored == Date(timeIntervalSince1970: 1_000_000))
        #expect(read.selecting == [HeaderField(name: "Accept-Language", value: "de")])
        #expect((read.userInfo?["a"] as? [String: Int]) == ["b": 1])
    }

    @Test func `holds a response that is not of HTTP`() throws {
        let url = try #require(URL(string: "app://thing"))
        let plain = URLResponse(url: url, mimeType: "text/css", expectedContentLength: 4, textEncodingName: "utf-8")
        let read = try #require(CacheFile.encode(kept(plain)).flatMap(CacheFile.decode))
        #expect(!(read.response is HTTPURLResponse) && read.response.mimeType == "text/css")
        #expect(read.response.expectedContentLength == 4 && read.response.textEncodingName == "utf-8")
    }

    @Test func `cannot hold a value that is no property list`() throws {
        #expect(CacheFile.encode(kept(try response(), userInfo: ["a": NSObject()])) == nil)
    }

    @Test func `is nothing once it is cut anywhere, longer, or another byte stands in it`() throws {
        let data = try #require(CacheFile.encode(kept(try response())))
        for count in 0..<data.count { #expect(CacheFile.decode(data.prefix(count)) == nil) }
        #expect(CacheFile.decode(data + [0]) == nil)
        for index in data.indices {
            var changed = data
            changed[index] ^= 0x10
            #expect(CacheFile.decode(changed) == nil)
        }
    }
}
