import FerryCore
import FerryTesting
import NIOHTTP1
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `A request that the HTTP client gives up` {
    /// The client does so with what it hands to a connection of HTTP/2 at the moment in which the server closes that. Taken for
    /// its user's wish, it would be the end of the transfer.
    @Test func `was not canceled by its user, and is asked again`() async throws {
        try await withEngine(OriginScript()) { harness, origin in
            let silent = try SilentAddress("127.0.0.3", port: origin.port)
            defer { silent.close() }
            let url = try HTTPURL(parsing: origin.url(host: "127.0.0.3"))
            var key = ClientPool.Key()
            key.loop = harness.engine.takeLoop()
            let asked = ExchangeRequest(url: url, headers: [:], key: key, timeouts: Timeouts())
            // With a client that is there, the request is in its hands when `open` returns.
            let clients = harness.engine.clients
            clients.end(try clients.lease(asked.key, nil, for: url))
            let exchange = try harness.engine.open(asked)
            async let shutdown: Void = clients.shutdown()
            let error = await #expect(throws: ServiceError.self) { try await exchange.head() }
            #expect(error == ClientFailure.staleConnection)
            // The client waits for the connection that it is making, which is refused from here on.
            silent.close()
            await shutdown
        }
    }
}
