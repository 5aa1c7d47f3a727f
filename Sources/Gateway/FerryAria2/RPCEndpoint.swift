package import FerryCore

/// aria2's JSON-RPC interface on top of a service.
///
/// Independent of sockets and HTTP: takes the bytes of a request and returns the bytes of a response. Errors are
/// responses too.
package struct RPCEndpoint: Sendable {
    private let configuration: Configuration
    private let memory = EndpointMemory()
    private let hub: NotificationHub

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        hub = NotificationHub(DownloadFinder(configuration: configuration))
    }

    /// The application in the notes of downloads that were added over this interface.
    package static let noteApplication = DownloadNote.application

    /// Handles the body of a POST or a WebSocket text message.
    ///
    /// - Parameter isTrusted: Whether the caller has already presented the secret, for example in a header field.
    package func answer(_ body: [UInt8], isTrusted: Bool = false) async -> RPCAnswer {
        guard let message = try? RPCValueReader.read(body) else { return Self.refusal(.parseError) }
        return await answer(message, isTrusted)
    }

    /// Handles a GET request, given its query without the question mark.
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

    /// Returns the notifications for one authorized connection, starting with the next one. The stream finishes if the
    /// connection does not consume them.
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
