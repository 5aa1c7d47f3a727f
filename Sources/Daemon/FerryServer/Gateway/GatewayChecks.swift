import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Checks each request's `Host` and `Origin` first, and allows permitted pages to read the responses.
struct GatewayAccessCheck: RouterMiddleware {
    let gateway: Gateway
    let log: RefusalLog

    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        let fields = request.headers
        let access = GatewayAccess(gateway.settingsNow)
        // Other pages may link to the gateway's page. No site can frame it, and loading it reads nothing and has no
        // effect.
        let leadsToPage = fields[.secFetchMode] == "navigate" && PageFile.paths.contains(request.uri.path)
        let site = leadsToPage && request.method == .get ? nil : fields[.secFetchSite]
        switch access.judge(host: request.head.authority, origin: fields[.origin], site: site) {
        case .refused(let why):
            log.note(why)
            if fields[.secFetchMode] == "navigate" { return Self.readable(why) }
            return try .json(
                ErrorBody(ServiceError(.invalidRequest, why)), status: .forbidden, headers: [.connection: "close"])
        case .allowed(nil):
            guard request.method == .options else { return try await next(request, context) }
            return Response(status: .ok, headers: [.allow: "POST, GET, OPTIONS"])
        case .allowed(let origin?):
            guard request.method != .options else {
                return Response(status: .ok, headers: GatewayAccess.preflight(for: origin, requested: fields))
            }
            var response = try await next(request, context)
            for field in GatewayAccess.fields(for: origin) { response.headers[field.name] = field.value }
            return response
        }
    }
}

extension GatewayAccessCheck {
    /// A refusal as text, for a person who has opened an address in a browser.
    private static func readable(_ why: String) -> Response {
        Response(
            status: .forbidden,
            headers: [
                .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .connection: "close",
            ], body: ResponseBody(byteBuffer: .init(string: "Ferry: \(why)\n")))
    }
}

/// Requires the secret or a token for every request of the control API. aria2's interface checks each call itself.
struct SecretCheck: RouterMiddleware {
    let gateway: Gateway
    let wrongSecrets: WrongSecrets
    let log: RefusalLog

    static let tooMany = APIFailure(
        .tooManyRequests, "Too many wrong secrets or codes are pending; try again later.")

    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isAsked(request.uri.path) else { return try await next(request, context) }
        let given = GatewayKeys.bearer(request.headers[.authorization])
        if given.map(gateway.keys.accept) == true { return try await next(request, context) }
        // A request without a secret is not a guess. A client may send one to find out how to authenticate.
        if given != nil {
            log.note("a wrong secret")
            guard await wrongSecrets.wait() else { throw Self.tooMany }
        }
        throw APIFailure(
            .unauthorized,
            given == nil
                ? "Send the gateway's secret as Authorization: Bearer SECRET; `ferry gateway secret` shows it."
                : "The secret is wrong; `ferry gateway secret` shows it.",
            headers: [.wwwAuthenticate: "Bearer", .connection: "close"])
    }

    /// Whether a path needs the secret or a token.
    private static func isAsked(_ path: String) -> Bool { !open.contains(path) }

    /// The paths without a secret: aria2's interfaces, which check each call, the routes that exchange a code for a
    /// secret, and the page's files, which are public.
    private static let open = PageFile.paths.union([
        GatewayRouter.rpcPath, GatewayRouter.xmlPath, PairClient.route.path, OpenPage.route.path,
    ])
}

/// Logs refused requests, at most one line per second.
final class RefusalLog: Sendable {
    private let logger: Logger
    private let state = Mutex((last: ContinuousClock.Instant?.none, silent: 0))

    init(_ logger: Logger) { self.logger = logger }

    func note(_ what: String) {
        let now = ContinuousClock.now
        let others: Int? = state.withLock { state in
            if let last = state.last, last + .seconds(1) > now {
                state.silent += 1
                return nil
            }
            defer { state = (now, 0) }
            return state.silent
        }
        guard let others else { return }
        logger.warning(
            "The gateway has refused a request: \(what)", metadata: others > 0 ? ["others": "\(others)"] : [:])
    }
}
