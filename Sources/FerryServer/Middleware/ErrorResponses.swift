// Ferry: FerryServer
// From errors to responses.

import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import Logging

/// Answers every error with its code, sentence and details as JSON.
struct ErrorResponses: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as TransferError {
            return try .json(ErrorBody(error), status: .init(code: error.code.row.httpStatus))
        } catch let failure as APIFailure {
            return try .json(ErrorBody(failure.error), status: failure.status, headers: failure.headers)
        } catch let error as HTTPError where error.status == .notFound {
            let failure = UnknownTarget.failure(path: request.uri.path, method: request.method.rawValue)
            return try .json(ErrorBody(failure.error), status: failure.status, headers: failure.headers)
        } catch let error as CancellationError {
            throw error
        } catch {
            context.logger.error("A call failed for a reason that has no code", metadata: ["error": "\(error)"])
            let answer = TransferError(.internal, "Ferry failed at this call; the daemon's log says more.")
            return try .json(ErrorBody(answer), status: .internalServerError)
        }
    }
}
