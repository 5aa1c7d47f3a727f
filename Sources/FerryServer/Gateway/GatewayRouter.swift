import FerryAPI
import FerryAria2
import FerryCore
import HTTPTypes
import Hummingbird
import Logging

/// The routes of the gateway: its page, aria2's interface, and the part of the control API that network clients may
/// use.
struct GatewayRouter: Sendable {
    let gateway: Gateway
    let service: GuardedService
    let endpoint: RPCEndpoint
    let wrongSecrets: WrongSecrets
    let log: RefusalLog
    private let rooms = FolderRooms()

    init(
        gateway: Gateway, service: GuardedService, endpoint: RPCEndpoint, wrongSecrets: WrongSecrets, log: RefusalLog
    ) {
        self.gateway = gateway
        self.service = service
        self.endpoint = endpoint
        self.wrongSecrets = wrongSecrets
        self.log = log
    }

    /// The path of aria2's interface.
    static let rpcPath = "/jsonrpc"
    /// Maximum bytes of one request's body, and of one WebSocket message.
    static let mostBytes = 2 << 20

    func router() -> Router<ConnectionContext> {
        let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerFields())
        router.add(middleware: RequestLog())
        router.add(middleware: GatewayAccessCheck(gateway: gateway, log: log))
        router.add(middleware: ErrorResponses())
        router.add(middleware: SecretCheck(gateway: gateway, wrongSecrets: wrongSecrets, log: log))
        router.on(RouterPath(Self.rpcPath), method: .post) { request, _ in try await self.post(request) }
        router.on(RouterPath(Self.rpcPath), method: .get) { request, _ in try await self.get(request) }
        router.respond(to: PairClient.self) { request, _ in try await self.pair(request) }
        router.serve(ListFolders.self) { request, _ in
            try request.hasNoQuery()
            return await rooms.inspect(at: gateway.settingsNow.folders)
        }
        PageRoutes().add(to: router)
        ControlAPI(service: service, gateway: nil, stop: {}).addOpenRoutes(to: router)
        return router
    }

    // MARK: aria2's interface

    private func post(_ request: Request) async throws -> Response {
        var bytes: [UInt8] = []
        do {
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= Self.mostBytes else {
                    throw APIFailure(
                        .contentTooLarge, "The body has more than \(Self.mostBytes >> 20) MiB.",
                        headers: [.connection: "close"])
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error as APIFailure {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            throw APIFailure(
                .badRequest, "The body is incomplete.", headers: [.connection: "close"])
        }
        return await response(to: endpoint.answer(bytes, isTrusted: isTrusted(request)))
    }

    private func get(_ request: Request) async throws -> Response {
        if request.headers[.secWebSocketVersion] != nil { throw Self.noUpgrade(request.headers) }
        let query = request.uri.query ?? ""
        // Any page may load the response as a script, so a page that is not allowed gets none.
        if query.contains("jsoncallback"),
            !GatewayAccess(gateway.settingsNow).allowsScript(origin: request.headers[.origin])
        {
            throw APIFailure(.forbidden, "Script responses are for allowed origins.")
        }
        return await response(to: endpoint.answer(query: query, isTrusted: isTrusted(request)))
    }

    private func isTrusted(_ request: Request) -> Bool {
        GatewayKeys.bearer(request.headers[.authorization]).map(gateway.keys.accept) ?? false
    }

    private func response(to answer: RPCAnswer) async -> Response {
        var status = HTTPResponse.Status(code: answer.httpStatus)
        if answer.isUnauthorized {
            log.note("a wrong secret")
            if await !wrongSecrets.wait() { status = .tooManyRequests }
        }
        return Response(
            status: status,
            headers: [
                .contentType: answer.contentType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ], body: ResponseBody(byteBuffer: .init(bytes: answer.body)))
    }

    /// Returns why a WebSocket request was not granted.
    private static func noUpgrade(_ fields: HTTPFields) -> APIFailure {
        guard fields[.secWebSocketVersion] == "13" else {
            return APIFailure(
                .upgradeRequired, "WebSockets need version 13 (RFC 6455).",
                headers: [.secWebSocketVersion: "13", .upgrade: "websocket", .connection: "upgrade"])
        }
        guard fields[.secWebSocketKey] != nil else {
            return APIFailure(.badRequest, "The handshake of the WebSocket has no Sec-WebSocket-Key.")
        }
        return APIFailure(
            .serviceUnavailable,
            ServiceError(.daemonUnreachable, "The gateway has the maximum number of WebSockets; try again later."))
    }

    // MARK: Pairing

    private func pair(_ request: Request) async throws -> Response {
        try request.hasNoQuery()
        let body = try await request.value(PairClient.Request.self, upTo: 4096)
        if let paired = try await gateway.pair(body) { return try .json(paired) }
        log.note("a wrong pairing code")
        guard await wrongSecrets.wait() else { throw SecretCheck.tooMany }
        throw APIFailure(
            .forbidden, "The code is wrong or has expired; `ferry gateway pair` prints another one.")
    }
}

extension HTTPField.Name {
    static let xContentTypeOptions = Self("X-Content-Type-Options")!  // SAFETY: a token of HTTP
}
