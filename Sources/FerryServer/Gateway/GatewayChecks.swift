import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Judges each request's `Host` and `Origin` before anything else of it, and lets allowed pages read the answers.
struct GatewayAccessCheck: RouterMiddleware {
    let gateway: Gateway
    let log: RefusalLog

    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        let fields = request.headers
        let door = GatewayAccess(gateway.settingsNow)
        // Other pages may lead to this one: no site can frame it, and a visit reads nothing and has no effect.
        let leadsToPage = fields[.secFetchMode] == "navigate" && PageFile.paths.contains(request.uri.path)
        let site = leadsToPage && request.method == .get ? nil : fields[.secFetchSite]
        switch door.judge(host: request.head.authority, origin: fields[.origin], site: site) {
        case .refused(let why):
            log.note(why)
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

/// Asks every request of the control API for the secret or a token; aria2's interface asks each call for it.
struct SecretCheck: RouterMiddleware {
    let gateway: Gateway
    let wrongSecrets: WrongSecrets
    let log: RefusalLog

    static let tooMany = APIFailure(
        .tooManyRequests, "Too many wrong secrets or codes are waiting for their answers; try again later.")

    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isAsked(request.uri.path) else { return try await next(request, context) }
        let given = GatewayKeys.bearer(request.headers[.authorization])
        if given.map(gateway.keys.accept) == true { return try await next(request, context) }
        // Without one, nothing was guessed: a client may ask what is wanted of it.
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

    /// Whether a path is of the control API, but for pairing, which is how a client comes to its token. The page's files are the
    /// same for everybody.
    private static func isAsked(_ path: String) -> Bool {
        path != GatewayRouter.rpcPath && path != PairClient.route.path && !PageFile.paths.contains(path)
    }
}

/// Writes a line for what is refused, at most one each second for all of it.
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
