import Ferry
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Adapters, retriers and credentials of a download chain`: ChainSuite {
    private static let body = FerryFixture.body

    /// Adds a token to requests, and fetches a new token when a server rejects it.
    private final class Tokens: RequestAdapter, RequestRetrier {
        let token: Mutex<String>
        let asked = Notes<String>()
        private let retries: UInt

        init(_ token: String, retries: UInt = 1) {
            self.token = Mutex(token)
            self.retries = retries
        }

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.setValue("Basic " + token.withLock { $0 }, forHTTPHeaderField: "Authorization")
            return request
        }

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            let status = request.response?.statusCode ?? 0
            asked.add("\(status) \((error as? AFError)?.responseCode ?? 0) \(request.retryCount)")
            token.withLock { $0 = Data("user:secret".utf8).base64EncodedString() }
            completion(request.retryCount < retries, 0)
        }
    }

    private struct Refusal: Error {}

    private struct Refusing: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest { throw Refusal() }
    }

    private static var guarded: OriginScript {
        OriginScript(body, always: .basic(user: "user", password: "secret"))
    }

    @Test func `a retrier that has another token lets the adapter send it`() async throws {
        try await withFerry(Self.guarded) { fixture in
            let manager = manager(fixture)
            let tokens = Tokens("old")
            manager.adapter = tokens
            manager.retrier = tokens
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url(), to: destination(path)).validate()
            let result = try await response(request)
            #expect(result.error == nil && result.destinationURL?.path == path && request.retryCount == 1)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            #expect(tokens.asked.all == ["401 401 0"])
            let sent = fixture.origin.requests.map { $0.value("Authorization") }
            #expect(sent == ["Basic old", "Basic dXNlcjpzZWNyZXQ="])
            try await eventually("the records are gone") { try await fixture.stored() == 0 }
        }
    }

    @Test func `a retrier that gives up leaves the error`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404, body: "none"))) { fixture in
            let manager = manager(fixture)
            let tokens = Tokens("old", retries: 2)
            manager.retrier = tokens
            let request = manager.download(fixture.origin.url(), to: nil).validate(statusCode: [200])
            let error = try #require(try await response(request).error as? AFError)
            #expect(error.isResponseValidationError && error.responseCode == 404)
            #expect(tokens.asked.all == ["404 404 0", "404 404 1", "404 404 2"])
            #expect(fixture.origin.requests.count == 3 && request.retryCount == 2)
        }
    }

    @Test func `an adapter's error is the result, and nothing is sent`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture)
            manager.adapter = Refusing()
            let result = try await response(manager.download(fixture.origin.url(), to: nil))
            #expect(result.error is Refusal && fixture.origin.requests.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `credentials are sent to a server that asks for them`(isBackground: Bool) async throws {
        try await withFerry(Self.guarded) { fixture in
            let manager =
                isBackground ? manager(fixture) : fixture.make { SessionManager(configuration: .default) }
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url(), to: destination(path))
                .authenticate(user: "user", password: "secret")
            let result = try await response(request)
            #expect(result.error == nil && result.destinationURL?.path == path)
            #expect(fixture.origin.requests.first?.value("Authorization") == nil)
            #expect(fixture.origin.requests.last?.value("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
            #expect(request.request?.url?.absoluteString == fixture.origin.url())
        }
    }

    @Test func `wrong credentials are sent once, and the refusal is the result`() async throws {
        try await withFerry(Self.guarded) { fixture in
            let manager = manager(fixture)
            let credential = URLCredential(user: "user", password: "wrong:/@", persistence: .none)
            let request = manager.download(fixture.origin.url(), to: nil).authenticate(usingCredential: credential)
                .validate()
            let error = try await response(request).error as? AFError
            #expect(error?.responseCode == 401)
            let sent = fixture.origin.requests.compactMap { $0.value("Authorization") }
            #expect(sent == ["Basic " + Data("user:wrong:/@".utf8).base64EncodedString()])
        }
    }

    @Test func `a server's credentials may be a field of the request`() {
        let field = Request.authorizationHeader(user: "user", password: "secret")
        #expect(field?.key == "Authorization" && field?.value == "Basic dXNlcjpzZWNyZXQ=")
    }
}
