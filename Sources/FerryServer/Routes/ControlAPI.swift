package import FerryAPI
package import FerryCore
import HTTPTypes
import Hummingbird

/// The control API over a service: decodes, calls, encodes, and decides nothing.
package struct ControlAPI: Sendable {
    let service: any SessionService
    /// The user's hold on the gateway; nil where it is not offered.
    let gateway: (any GatewayControl)?
    /// Begins the daemon's end; returns at once.
    let stop: @Sendable () async -> Void

    package init(
        service: any SessionService, gateway: (any GatewayControl)? = nil, stop: @escaping @Sendable () async -> Void
    ) {
        self.service = service
        self.gateway = gateway
        self.stop = stop
    }

    /// All routes of the table.
    func router() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerFields())
        router.add(middleware: RequestLog())
        router.add(middleware: ErrorResponses())
        router.add(middleware: CallerCheck())
        addStatusRoutes(to: router)
        addStopRoute(to: router)
        addTransferRoutes(to: router)
        addBatchRoute(to: router)
        addEventRoute(to: router)
        addSessionRoutes(to: router)
        addBackgroundRoutes(to: router)
        addSettingsRoutes(to: router)
        if let gateway { GatewayControlRoutes(gateway: gateway).add(to: router) }
        return router
    }

    /// The routes that clients of the gateway may use; what they may do there is judged by ``GuardedService``.
    func addOpenRoutes(to router: Router<BasicRequestContext>) {
        addStatusRoutes(to: router)
        addTransferRoutes(to: router)
        addBatchRoute(to: router)
        addEventRoute(to: router)
        addSessionRoutes(to: router)
        addSettingsRoutes(to: router)
    }
}

extension Router<BasicRequestContext> {
    /// Serves an endpoint with a function that returns what its body holds.
    func serve<E: Endpoint>(
        _ endpoint: E.Type, status: HTTPResponse.Status = .ok,
        _ call: @escaping @Sendable (Request, BasicRequestContext) async throws -> E.Response
    ) {
        respond(to: endpoint) { request, context in
            try .json(try await call(request, context), status: status)
        }
    }

    /// Serves an endpoint with a function that makes the whole response.
    func respond<E: Endpoint>(
        to _: E.Type, _ call: @escaping @Sendable (Request, BasicRequestContext) async throws -> Response
    ) {
        on(RouterPath(E.route.path), method: HTTPRequest.Method(E.route.method), use: call)
    }
}

extension HTTPRequest.Method {
    init(_ method: FerryAPI.Method) {
        self =
            switch method {
            case .get: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
    }
}
