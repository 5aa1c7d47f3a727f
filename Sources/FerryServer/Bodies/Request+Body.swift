import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The parameters of the query.
    func queryItems() throws(ServiceError) -> [QueryItem] {
        try QueryItem.decode(uri.query ?? "")
    }

    /// Refuses a query where the route has none.
    func hasNoQuery() throws(ServiceError) {
        guard let item = try queryItems().first else { return }
        throw ServiceError(.invalidRequest, "The query has no parameter “\(item.name.escapingControls)” here.")
    }

    /// The body as one JSON value.
    func value<Body: StrictBody>(_ type: Body.Type, upTo limit: Int = BodyLimit.value) async throws -> Body {
        var bytes = Data()
        try await readBody(as: MediaType.json, upTo: limit) { part in
            bytes.append(contentsOf: part.readableBytesView)
        }
        return try BodyDecoder.decode(type, from: bytes)
    }

    /// Hands on the parts of the body as they come, unless it is of another type or too long.
    ///
    /// Reads nothing more of a body once it is refused: its length has no bound. ``RequestDeadline`` sees to the rest.
    func readBody(as type: String, upTo limit: Int, _ take: (ByteBuffer) -> Void) async throws {
        if let refusal = refusal(of: type) ?? refusal(above: limit) { throw refusal }
        var size = 0
        do {
            for try await part in body {
                size += part.readableBytes
                guard size <= limit else { throw Self.tooLarge(limit) }
                take(part)
            }
        } catch let error as APIFailure {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            // The client went away, or what it sends is no HTTP: no fault of the daemon's that its log has to tell.
            throw APIFailure(.badRequest, "The body ended before it was whole.", headers: Self.ending)
        }
    }

    /// What is said of a body of another type.
    private func refusal(of wanted: String) -> APIFailure? {
        guard let given = headers[.contentType], MediaType.essence(given) != wanted else { return nil }
        return APIFailure(
            .unsupportedMediaType,
            "The body is \(wanted) here, not \(given.escapingControls); send Content-Type: \(wanted).",
            headers: Self.ending)
    }

    /// What is said of a body that says itself that it is too long, before any of it is kept.
    private func refusal(above limit: Int) -> APIFailure? {
        guard let length = headers[.contentLength].flatMap({ Int($0) }), length > limit else { return nil }
        return Self.tooLarge(limit)
    }

    /// The connection serves for no other request, since the rest of the body may still come.
    private static let ending: HTTPFields = [.connection: "close"]

    private static func tooLarge(_ limit: Int) -> APIFailure {
        APIFailure(.contentTooLarge, "The body has more than \(limit >> 20) MiB.", headers: ending)
    }
}

extension BasicRequestContext {
    /// The transfer that the path names.
    func transferID() throws -> TransferID {
        let text = try parameter()
        guard let id = TransferID(text) else {
            throw ServiceError(
                .unknownTransfer, "“\(text.escapingControls)” is no transfer's id; an id has 16 hexadecimal digits.")
        }
        return id
    }

    /// The session that the path names.
    func sessionID() throws -> SessionID { try SessionID(parameter()) }

    /// The paired client that the path names.
    func gatewayClient() throws -> String { try parameter() }

    /// The app that the path names.
    func application() throws -> String { try parameter() }

    private func parameter() throws -> String {
        guard let text: String = PercentEncoding.decode(parameters.get("id") ?? "") else {
            throw ServiceError(.invalidRequest, "The path has a broken percent-escape.")
        }
        return text
    }
}

extension Request {
    /// A body whose first line is a request without URL, and each further line a URL.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the first line is no request.
    func list() async throws -> TransferBatch {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(headers[.contentLength].flatMap { Int($0) } ?? 0, BodyLimit.list))
        try await readBody(as: MediaType.text, upTo: BodyLimit.list) { part in
            bytes.append(contentsOf: part.readableBytesView)
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        guard end <= BodyLimit.value else {
            throw ServiceError(.invalidRequest, "The line has more than \(BodyLimit.value >> 20) MiB.")
        }
        let template = try BodyDecoder.decode(TransferRequest.self, from: Data(bytes[..<end]))
        return TransferBatch(template: template, urls: URLLines(bytes, from: end + 1))
    }
}
