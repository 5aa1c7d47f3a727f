import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird

/// Refuses requests that a web page may have made, before anything of them is read.
///
/// A page can make a browser send requests wherever the socket is reachable from one, such as through a program that
/// makes it a port. A page cannot choose the fields that are checked here.
struct CallerCheck: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        if let refusal = Self.refusal(host: request.head.authority, fields: request.headers) { throw refusal }
        return try await next(request, context)
    }

    /// The name that the daemon has in `Host`; there is no other, since a socket has no address.
    static let host = "localhost"
    private static let types: Set = [MediaType.json, MediaType.lines, MediaType.text]

    static func refusal(host: String?, fields: HTTPFields) -> APIFailure? {
        guard host?.lowercased() == Self.host else {
            let given = host.map { "“\($0.escapingControls)”" } ?? "missing"
            return refuse(.forbidden, "The field Host is \(given); it has to be \(Self.host).", fields)
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
            "The content type \(type.escapingControls) is not served; send Content-Type: \(MediaType.json).", fields)
    }

    private static func refuse(
        _ status: HTTPResponse.Status, _ message: String, _ fields: HTTPFields
    ) -> APIFailure {
        // The body that is on its way is not read.
        APIFailure(status, message, headers: hasBody(fields) ? [.connection: "close"] : [:])
    }

    private static func hasBody(_ fields: HTTPFields) -> Bool {
        fields[.transferEncoding] != nil || fields[.contentLength].map { $0 != "0" } ?? false
    }
}
