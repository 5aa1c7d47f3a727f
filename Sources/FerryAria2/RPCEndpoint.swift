package import FerryCore

/// aria2's JSON-RPC interface over a service.
///
/// Knows neither sockets nor HTTP: bytes of a request go in, bytes of an answer come out, and everything is an answer.
package struct RPCEndpoint: Sendable {
    private let configuration: Configuration
    private let memory = EndpointMemory()
    private let hub: NotificationHub

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        hub = NotificationHub(DownloadFinder(configuration: configuration))
    }

    /// Answers the body of a POST, or a text message of a WebSocket.
    ///
    /// - Parameter isTrusted: whether the caller has shown the secret already, as by a field of the request.
    package func answer(_ body: [UInt8], isTrusted: Bool = false) async -> RPCAnswer {
        guard let message = try? RPCValueReader.read(body) else { return Self.refusal(.parseError) }
        return await answer(message, isTrusted)
    }

    /// Answers a GET by its query, without the question mark.
    package func answer(query: String, isTrusted: Bool = false) async -> RPCAnswer {
        do throws(RPCFault) {
            let query = try RPCQuery(query)
            var answer = Self.refusal(.invalidRequest)
            if let request = query.request { answer = await self.answer(request, isTrusted) }
            guard let callback = query.callback else { return answer }
            answer.body = Array(callback.utf8) + [UInt8(ascii: "(")] + answer.body + [UInt8(ascii: ")")]
            answer.isScript = true
            return answer
        } catch { return Self.refusal(error) }
    }

    /// The notifications for one connection that has given the secret, from here on; they end where it does not take them.
    package func notifications() async throws(ServiceError) -> AsyncStream<[UInt8]> { try await hub.connect() }

    private func answer(_ message: RPCValue, _ isTrusted: Bool) async -> RPCAnswer {
        var run = RPCRun(
            methods: RPCMethods(configuration: configuration, memory: memory),
            secret: configuration.secret(), isTrusted: isTrusted)
        var answer = await run.answer(message)
        answer.isUnauthorized = run.isUnauthorized
        answer.isAuthorized = run.isAuthorized
        return answer
    }

    private static func refusal(_ fault: RPCFault) -> RPCAnswer {
        RPCAnswer(
            httpStatus: fault.httpStatus, body: RPCReply(id: .null, result: .failure(fault)).value.json)
    }
}
