import FerryAPI
import FerryAria2
import FerryCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

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
    /// The path of aria2's XML-RPC interface, which Ferry does not have.
    static let xmlPath = "/rpc"
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
        router.on(RouterPath(Self.xmlPath), method: .post) { _, _ in Self.noXML }
        router.on(RouterPath(Self.rpcPath), method: .get) { request, _ in try await self.get(request) }
        PageRoutes().add(to: router)
        let offered = OfferedRoutes(router) {
            GatewayTable.routes.contains($0) || GatewayTable.gatewayRoutes.contains($0)
        }
        offered.respond(to: PairClient.self) { request, _ in try await self.pair(request) }
        offered.respond(to: OpenPage.self) { request, context in try await self.openPage(request, context.channel) }
        offered.serve(ListFolders.self) { request, _ in
            try request.hasNoQuery()
            return await rooms.inspect(at: gateway.settingsNow.folders)
        }
        ControlAPI(service: service, gateway: nil, stop: {}).addRoutes(to: offered)
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
                .contentType: answer.contentType, .cacheControl: "no-store",
            ], body: ResponseBody(byteBuffer: .init(bytes: answer.body)))
    }

    /// The fault that XML-RPC clients show to their users. Such a response has the status 200.
    private static var noXML: Response {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <methodResponse><fault><value><struct>
            <member><name>faultCode</name><value><int>1</int></value></member>
            <member><name>faultString</name><value><string>Ferry has no XML-RPC interface; use JSON-RPC at \(rpcPath).\
            </string></value></member>
            </struct></value></fault></methodResponse>

            """
        return Response(
            status: .ok, headers: [.contentType: "text/xml", .connection: "close"],
            body: ResponseBody(byteBuffer: .init(string: text)))
    }

    /// Returns why a WebSocket request was not granted.
    private static func noUpgrade(_ fields: HTTPFields) -> APIFailure {
        guard fields[.secWebSocketVersion] == "13" else {
            return APIFailure(
                .upgradeRequired, "WebSockets need version 13 (RFC 6455).",
                headers: [.secWebSocketVersion: "13", .upgrade: "websocket", .connection: "upgrade"])
        }
        guard let key = fields[.secWebSocketKey] else {
            return APIFailure(.badRequest, "The handshake of the WebSocket has no Sec-WebSocket-Key.")
        }
        guard GatewayRoutes.isKey(key) else {
            return APIFailure(
                .badRequest, "The handshake's Sec-WebSocket-Key is not 16 bytes in Base64 (RFC 6455 §4.1).")
        }
        return APIFailure(
            .serviceUnavailable,
            ServiceError(.daemonUnreachable, "The gateway has the maximum number of WebSockets; try again later."))
    }

    // MARK: Codes

    private func openPage(_ request: Request, _ channel: any Channel) async throws -> Response {
        try request.hasNoQuery()
        let body = try await request.value(OpenPage.Request.self, upTo: 4096)
        guard LocalClient.isOfThisMachine(channel) else {
            throw APIFailure(
                .forbidden,
                "The address of `ferry web` works on its own machine; on another one, enter a code of `ferry gateway pair`."
            )
        }
        if let opened = await gateway.openPage(body) {
            return try .json(opened, headers: [.cacheControl: "no-store"])
        }
        log.note("a wrong code of the page")
        guard await wrongSecrets.wait() else { throw SecretCheck.tooMany }
        throw APIFailure(.forbidden, "The code was used before or has expired; `ferry web` opens the page again.")
    }

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

/// Tells programs of this machine from those of others.
enum LocalClient {
    /// Whether a connection comes from this machine: from a loopback address, or from the address that it came to.
    static func isOfThisMachine(_ channel: any Channel) -> Bool {
        guard let peer = channel.remoteAddress?.ipAddress else { return false }
        return peer.hasPrefix("127.") || peer == "::1" || peer.hasPrefix("::ffff:127.")
            || peer == channel.localAddress?.ipAddress
    }
}
