import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird
import Logging

/// Refuses requests that a web page may have made, before reading anything of them.
///
/// A page can make a browser send requests wherever the browser can reach the socket, for example through a program
/// that forwards a port to it. A page cannot choose the fields that are checked here.
struct CallerCheck: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        if let refusal = Self.refusal(host: request.head.authority, fields: request.headers) { throw refusal }
        return try await next(request, context)
    }

    /// The only accepted `Host`, since a socket has no address.
    static let host = "localhost"
    private static let types: Set = [MediaType.json, MediaType.lines, MediaType.text]

    static func refusal(host: String?, fields: HTTPFields) -> APIFailure? {
        guard host?.lowercased() == Self.host else {
            let given = host.map { "“\($0.escapingControls)”" } ?? "missing"
            return refuse(.forbidden, "The field Host is \(given); it must be \(Self.host).", fields)
        }
        guard fields[.origin] == nil else {
            return refuse(.forbidden, "The request has the field Origin: web pages may not use this socket.", fields)
        }
        guard let type = fields[.contentType] else {
            guard hasBody(fields) else { return nil }
            return refuse(
                .unsupportedMediaType, "The body has no content type; send Content-Type: \(MediaType.json).", fields)
        }
        guard !types.contains(MediaType.essence(type)) else { return nil }
        return refuse(
            .unsupportedMediaType,
            "The content type \(type.escapingControls) is not supported; send Content-Type: \(MediaType.json).", fields)
    }

    private static func refuse(
        _ status: HTTPResponse.Status, _ message: String, _ fields: HTTPFields
    ) -> APIFailure {
        // The incoming body is not read.
        APIFailure(status, message, headers: hasBody(fields) ? [.connection: "close"] : [:])
    }

    private static func hasBody(_ fields: HTTPFields) -> Bool {
        fields[.transferEncoding] != nil || fields[.contentLength].map { $0 != "0" } ?? false
    }
}

/// Responds to every error with its code, sentence and details as JSON.
struct ErrorResponses: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServiceError {
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
            let answer = ServiceError(.internal, "An internal error occurred; the daemon's log has details.")
            return try .json(ErrorBody(answer), status: .internalServerError)
        }
    }
}

/// Describes the error for a path or method without a route.
enum UnknownTarget {
    static func failure(path: String, method: String) -> APIFailure {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if let first = parts.first, first.first == "v", let version = Int(first.dropFirst()),
            version != APIVersion.current
        {
            return APIFailure(
                .notFound,
                "ferryd \(FerryVersion.current) implements version \(APIVersion.current) of the control API, not \(version); "
                    + "paths begin with \(APIVersion.prefix)/.")
        }
        let methods = Route.all.filter { matches($0, parts) }.map(\.method.rawValue)
        guard methods.isEmpty || methods.contains(method) else {
            let allowed = methods.joined(separator: ", ")
            return APIFailure(
                .methodNotAllowed, "\(path.escapingControls) supports \(allowed), not \(method.escapingControls).",
                headers: [.allow: allowed])
        }
        return APIFailure(.notFound, "\(path.escapingControls) does not exist.")
    }

    private static func matches(_ route: Route, _ parts: [Substring]) -> Bool {
        let wanted = route.path.split(separator: "/")
        return wanted.count == parts.count
            && zip(wanted, parts).allSatisfy { want, have in want == have || want.first == "{" }
    }
}

/// Adds the daemon's name and its control API version to every response, including errors.
struct AnswerFields: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.server] = "ferryd/\(FerryVersion.current)"
        response.headers[.ferryAPI] = "\(APIVersion.current)"
        // No browser may take a response for something else than its content type.
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}

extension HTTPField.Name {
    static let xContentTypeOptions = Self("X-Content-Type-Options")!  // SAFETY: a token of HTTP
    static let ferryAPI = Self(AnswerField.api)!  // SAFETY: a constant, and a token of HTTP
    static let ferryLastEvent = Self(AnswerField.lastEvent)!  // SAFETY: as above
}

/// Logs each call at debug level: method, path and status. Never the query or a body, which may contain secrets.
struct RequestLog: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        context.logger.debug(
            "\(request.method.rawValue) \(request.uri.path.escapingControls) → \(response.status.code)",
            metadata: ["duration": "\(start.duration(to: .now))"])
        return response
    }
}
