// Ferry: FerryServer
// One log line a call.

import FerryCore
import HTTPTypes
import Hummingbird
import Logging

/// Logs each call at level debug: method, path and status. Never the query or a body, which may hold secrets.
struct RequestLog: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        context.logger.debug(
            "\(request.method.rawValue) \(request.uri.path.escapingControls) → \(response.status.code)",
            metadata: ["duration": "\(start.duration(to: .now))"])
        return response
    }
}
