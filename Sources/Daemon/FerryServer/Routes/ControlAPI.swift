package import FerryAPI
package import FerryCore
import HTTPTypes
import Hummingbird

/// The control API over a service. Only decodes requests, calls the service and encodes results.
package struct ControlAPI: Sendable {
    let service: any SessionService
    /// The user's control of the gateway, or `nil` if not offered.
    let gateway: (any GatewayControl)?
    /// Starts the daemon's shutdown and returns immediately.
    let stop: @Sendable () async -> Void

    package init(
        service: any SessionService, gateway: (any GatewayControl)? = nil, stop: @escaping @Sendable () async -> Void
    ) {
        self.service = service
        self.gateway = gateway
        self.stop = stop
    }

    /// Returns a router with all routes of the table.
    func router() -> Router<ConnectionContext> {
        let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerFields())
        router.add(middleware: RequestLog())
        router.add(middleware: ErrorResponses())
        router.add(middleware: CallerCheck())
        addRoutes(to: OfferedRoutes(router) { _ in true })
        return router
    }

    /// Adds the offered routes.
    func addRoutes(to router: OfferedRoutes) {
        addStatusRoutes(to: router)
        addStopRoute(to: router)
        addTransferRoutes(to: router)
        addBatchRoute(to: router)
        addEventRoute(to: router)
        addSessionRoutes(to: router)
        addBackgroundRoutes(to: router)
        addSettingsRoutes(to: router)
        addHoldRoute(to: router)
        if let gateway { GatewayControlRoutes(gateway: gateway).add(to: router) }
    }
}

/// A router that gets only the offered routes of an API.
struct OfferedRoutes {
    private let router: Router<ConnectionContext>
    private let offers: (Route) -> Bool

    init(_ router: Router<ConnectionContext>, offers: @escaping (Route) -> Bool) {
        self.router = router
        self.offers = offers
    }

    /// Serves an endpoint with a function that returns the value of the response body.
    func serve<E: Endpoint>(
        _ endpoint: E.Type, status: HTTPResponse.Status = .ok,
        _ call: @escaping @Sendable (Request, ConnectionContext) async throws -> E.Response
    ) {
        respond(to: endpoint) { request, context in
            try .json(try await call(request, context), status: status)
        }
    }

    /// Serves an endpoint with a function that returns the whole response.
    func respond<E: Endpoint>(
        to _: E.Type, _ call: @escaping @Sendable (Request, ConnectionContext) async throws -> Response
    ) {
        guard offers(E.route) else { return }
        router.on(RouterPath(E.route.path), method: HTTPRequest.Method(E.route.method), use: call)
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
