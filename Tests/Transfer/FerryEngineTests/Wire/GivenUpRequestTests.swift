import FerryCore
import FerryRules
import FerryTesting
import NIOHTTP1
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `A request that the HTTP client gives up` {
    /// The HTTP client cancels a request that it passes to an HTTP/2 connection while the server closes that
    /// connection. If this were taken for the user's cancel, the transfer would end.
    @Test func `was not canceled by its user, and is asked again`() async throws {
        try await withEngine(OriginScript()) { harness, origin in
            let silent = try SilentAddress("127.0.0.3", port: origin.port)
            defer { silent.close() }
            let url = try HTTPURL(parsing: origin.url(host: "127.0.0.3"))
            var key = ClientPool.Key()
            key.loop = harness.engine.takeLoop()
            let asked = ExchangeRequest(url: url, headers: [:], key: key, timeouts: Timeouts())
            // With an existing client, the client has the request when `open` returns.
            let clients = harness.engine.clients
            clients.end(try clients.lease(asked.key, nil, for: url))
            let exchange = try harness.engine.open(asked)
            async let shutdown: Void = clients.shutdown()
            let error = await #expect(throws: ServiceError.self) { try await exchange.head() }
            #expect(error == ClientFailure.staleConnection)
            // The client waits for its new connection, which is refused from this point on.
            silent.close()
            await shutdown
        }
    }
}
