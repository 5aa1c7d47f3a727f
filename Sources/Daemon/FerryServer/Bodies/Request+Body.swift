import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// Returns the parameters of the query.
    func queryItems() throws(ServiceError) -> [QueryItem] {
        try QueryItem.decode(uri.query ?? "")
    }

    /// Rejects a query on a route that takes none.
    func hasNoQuery() throws(ServiceError) {
        guard let item = try queryItems().first else { return }
        throw ServiceError(.invalidRequest, "The query has no parameter “\(item.name.escapingControls)” here.")
    }

    /// Decodes the body as one JSON value.
    func value<Body: StrictBody>(_ type: Body.Type, upTo limit: Int = BodyLimit.value) async throws -> Body {
        var bytes = Data()
        try await readBody(as: MediaType.json, upTo: limit) { part in
            bytes.append(contentsOf: part.readableBytesView)
        }
        return try BodyDecoder.decode(type, from: bytes)
    }

    /// Passes on the parts of the body as they arrive. Rejects a body of another type or beyond the limit.
    ///
    /// Reads nothing more of a rejected body, because its length is unbounded. ``RequestDeadline`` handles the
    /// remaining bytes.
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
            // The client disconnected, or sent invalid HTTP. Neither is a fault of the daemon, so nothing is logged.
            throw APIFailure(.badRequest, "The body is incomplete.", headers: Self.ending)
        }
    }

    /// Returns the error for a body of another type, or `nil` if the type is right.
    private func refusal(of wanted: String) -> APIFailure? {
        guard let given = headers[.contentType], MediaType.essence(given) != wanted else { return nil }
        return APIFailure(
            .unsupportedMediaType,
            "The body is \(wanted) here, not \(given.escapingControls); send Content-Type: \(wanted).",
            headers: Self.ending)
    }

    /// Returns the error for a body with a declared length beyond the limit. Checked before any byte is kept.
    private func refusal(above limit: Int) -> APIFailure? {
        guard let length = headers[.contentLength].flatMap({ Int($0) }), length > limit else { return nil }
        return Self.tooLarge(limit)
    }

    /// Closes the connection after the response, since remaining bytes of the body may still arrive.
    private static let ending: HTTPFields = [.connection: "close"]

    private static func tooLarge(_ limit: Int) -> APIFailure {
        APIFailure(.contentTooLarge, "The body has more than \(limit >> 20) MiB.", headers: ending)
    }
}

extension ConnectionContext {
    /// Returns the transfer named in the path.
    func transferID() throws -> TransferID {
        let text = try parameter()
        guard let id = TransferID(text) else {
            throw ServiceError(
                .unknownTransfer, "“\(text.escapingControls)” is not a transfer's id; an id has 16 hexadecimal digits.")
        }
        return id
    }

    /// Returns the session named in the path.
    func sessionID() throws -> SessionID { try SessionID(parameter()) }

    /// Returns the paired client named in the path.
    func gatewayClient() throws -> String { try parameter() }

    /// Returns the app named in the path.
    func application() throws -> String { try parameter() }

    private func parameter() throws -> String {
        guard let text = PercentEncoding.decodeComponent(parameters.get("id") ?? "") else {
            throw ServiceError(.invalidRequest, "The path has a broken percent-escape.")
        }
        return text
    }
}

extension Request {
    /// Decodes a body with a request without URL on the first line and one URL on each further line.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the first line is not a request.
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
