import Ferry
import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The responses of a download chain`: ChainSuite {
    private static let body = FerryFixture.body

    /// Returns a server that responds with `text` as `text/plain`.
    private static func text(_ text: String) -> OriginScript { OriginScript(body, always: .status(200, body: text)) }

    @Test func `values are made of the file, with or without a destination`() async throws {
        try await withFerry(Self.text(#"{"name": "ferry"}"#)) { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("a.json")
            let request = manager.download(fixture.origin.url(), to: destination(path))
            let json = Notes<String>()
            request.responseJSON { response in
                let name = (response.value as? [String: String])?["name"] ?? "none"
                let isTimed = response.timeline.totalDuration >= response.timeline.requestDuration
                json.add("\(name) \(response.result) \(response.destinationURL?.path == path) \(isTimed)")
            }
            #expect(try await json.wait(count: 1) == ["ferry SUCCESS true true"])
            let text = try await answer {
                manager.download(fixture.origin.url(), to: nil).responseString(completionHandler: $0)
            }
            #expect(text.value == #"{"name": "ferry"}"# && text.destinationURL == nil)
            let data = try await answer {
                manager.download(fixture.origin.url(), to: nil).responseData(completionHandler: $0)
            }
            #expect(data.map(\.count).value == 17)
            let list = Notes<String>()
            manager.download(fixture.origin.url(), to: nil).responsePropertyList { response in
                let error = response.error as? AFError
                list.add("\(error?.isResponseSerializationError == true) \(error?.underlyingError != nil)")
            }
            #expect(try await list.wait(count: 1) == ["true true"])
            let own = DownloadResponseSerializer { _, response, file, error in
                AFResult { (try file.map { try Data(contentsOf: $0).count } ?? 0) + (response?.statusCode ?? 0) }
            }
            let count = try await answer {
                manager.download(fixture.origin.url(), to: nil)
                    .response(responseSerializer: own, completionHandler: $0)
            }
            #expect(count.result.value == 217)
        }
    }

    @Test func `a failure before is the error of the value`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404, body: "no"))) { fixture in
            let manager = manager(fixture)
            let request = manager.download(fixture.origin.url(), to: nil).validate()
            let text = try await answer { request.responseString(completionHandler: $0) }
            #expect(text.result.isFailure && (text.error as? AFError)?.responseCode == 404)
            #expect(text.response?.statusCode == 404)
        }
    }

    @Test(arguments: [
        (["image/png"], false), (["text/*"], true), (["image/*", "Text/Plain; charset=utf-8"], true), (["*/*"], true),
    ])
    func `content types are compared by pattern`(types: [String], isAccepted: Bool) async throws {
        try await withFerry(Self.text("hello")) { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url(), to: destination(path)).validate(contentType: types)
            let result = try await response(request)
            guard !isAccepted else {
                #expect(result.error == nil && result.destinationURL?.path == path)
                return
            }
            let error = try #require(result.error as? AFError)
            #expect(error.acceptableContentTypes == types && error.responseContentType == "text/plain")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `validate takes the types of Accept`() async throws {
        try await withFerry(Self.text("hello")) { fixture in
            let manager = manager(fixture)
            let fields = [["Accept": "image/png, image/jpeg"], ["Accept": "image/png, text/plain;q=0.5"], [:]]
            var isRefused: [Bool] = []
            for headers in fields {
                let request = manager.download(fixture.origin.url(), method: .get, headers: headers).validate()
                isRefused.append(try await response(request).error != nil)
            }
            #expect(isRefused == [true, false, false])
        }
    }

    private struct TooLarge: Error {}

    @Test func `a closure judges the file in its place`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let path = fixture.daemon.file("a")
            let told = Notes<String>()
            let request = manager.download(fixture.origin.url(), to: destination(path))
                .validate { request, response, temporaryURL, destinationURL in
                    let digest = (try? FileDigest.sha256(destinationURL?.path ?? "")) ?? "none"
                    told.add("\(response.statusCode) \(digest == Self.body.sha256Hex) \(temporaryURL != nil)")
                    return .success
                }
                .validate { _, _, _, _ in .failure(TooLarge()) }
                .validate { _, _, _, _ in
                    told.add("not asked")
                    return .success
                }
            let result = try await response(request)
            #expect(result.error is TooLarge && result.destinationURL?.path == path)
            #expect(told.all == ["200 true true"])
        }
    }

    @Test func `a request, its parameters and its body are sent`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            var request = URLRequest(url: try #require(URL(string: fixture.origin.url("/search"))))
            request.setValue("yes", forHTTPHeaderField: "X-A")
            request.allowsConstrainedNetworkAccess = false
            #expect(try await response(manager.download(request, to: nil)).error == nil)
            let query = manager.download(
                fixture.origin.url("/search?a=1"), parameters: ["b": "x y&z", "c": [1, 2], "d": true], to: nil)
            #expect(try await response(query).error == nil)
            let posted = manager.download(
                fixture.origin.url("/search"), method: .post, parameters: ["b": 1], encoding: JSONEncoding.default,
                to: nil)
            #expect(try await response(posted).error == nil)
            let sent = fixture.origin.requests
            #expect(sent.map(\.method) == ["GET", "GET", "POST"] && sent[0].value("X-A") == "yes")
            #expect(!sent[0].fields.contains { $0.name.lowercased().contains("ferry-reserved") })
            #expect(sent[1].target == "/search?a=1&b=x%20y%26z&c%5B%5D=1&c%5B%5D=2&d=1")
            #expect(sent[2].value("Content-Type") == "application/json" && sent[2].value("Content-Length") == "7")
        }
    }

    @Test func `a text that is no URL is an error of the chain's own`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            let result = try await response(manager.download("no URL", method: .get))
            let error = try #require(result.error as? AFError)
            #expect(error.isInvalidURLError && error.urlConvertible as? String == "no URL" && result.request == nil)
        }
    }
}
