// Ferry: FerryServer
// What every answer says about the daemon.

import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird

/// Names the daemon and its version of the control API in every answer, errors too.
struct AnswerFields: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.server] = "ferryd/\(FerryVersion.current)"
        response.headers[.ferryAPI] = "\(APIVersion.current)"
        return response
    }
}

extension HTTPField.Name {
    static let ferryAPI = Self(AnswerField.api)!  // SAFETY: a constant, and a token of HTTP
    static let ferryLastEvent = Self(AnswerField.lastEvent)!  // SAFETY: as above
}
