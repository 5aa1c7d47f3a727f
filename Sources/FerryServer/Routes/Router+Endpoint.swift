// Ferry: FerryServer
// From a route of the table to a handler.

import FerryAPI
import HTTPTypes
import Hummingbird

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
