// Ferry: FerryServer
// Reading a request.

import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The parameters of the query.
    func queryItems() throws(TransferError) -> [QueryItem] {
        try QueryItem.decode(uri.query ?? "")
    }

    /// Refuses a query where the route has none.
    func hasNoQuery() throws(TransferError) {
        guard let item = try queryItems().first else { return }
        throw TransferError(.invalidRequest, "The query has no parameter “\(item.name.escapingControls)” here.")
    }

    /// The body as one JSON value.
    func value<Body: StrictBody>(_ type: Body.Type, upTo limit: Int = BodyLimit.value) async throws -> Body {
        var bytes = Data()
        try await readBody(as: MediaType.json, upTo: limit) { part in
            bytes.append(contentsOf: part.readableBytesView)
        }
        return try BodyDecoder.decode(type, from: bytes)
    }

    /// Hands on the parts of the body, unless it is of another type or too long.
    ///
    /// Reads to the end also when it refuses: a client that sends everything before it listens would wait for ever.
    func readBody(as type: String, upTo limit: Int, _ take: (ByteBuffer) -> Void) async throws {
        var refusal = refusal(of: type) ?? refusal(above: limit)
        var size = 0
        for try await part in body {
            size += part.readableBytes
            if size > limit { refusal = refusal ?? Self.tooLarge(limit) }
            if refusal == nil { take(part) }
        }
        if let refusal { throw refusal }
    }

    /// What is said of a body of another type; a request that names none is taken at its word.
    private func refusal(of wanted: String) -> APIFailure? {
        guard let given = headers[.contentType] else { return nil }
        let type = given.split(separator: ";", maxSplits: 1).first.map { $0.trimmingCharacters(in: .whitespaces) }
        guard type?.lowercased() != wanted else { return nil }
        return APIFailure(
            .unsupportedMediaType,
            "The body is \(wanted) here, not \(given.escapingControls); send Content-Type: \(wanted).")
    }

    /// What is said of a body that says itself that it is too long, before any of it is kept.
    private func refusal(above limit: Int) -> APIFailure? {
        guard let length = headers[.contentLength].flatMap({ Int($0) }), length > limit else { return nil }
        return Self.tooLarge(limit)
    }

    private static func tooLarge(_ limit: Int) -> APIFailure {
        APIFailure(.contentTooLarge, "The body has more than \(limit >> 20) MiB.")
    }
}

extension BasicRequestContext {
    /// The transfer that the path names.
    func transferID() throws -> TransferID {
        let text = try parameter()
        guard let id = TransferID(text) else {
            throw TransferError(
                .unknownTransfer, "“\(text.escapingControls)” is no transfer's id; those have 16 hexadecimal digits.")
        }
        return id
    }

    /// The session that the path names.
    func sessionID() throws -> SessionID { try SessionID(parameter()) }

    /// The app that the path names.
    func application() throws -> String { try parameter() }

    private func parameter() throws -> String {
        guard let text: String = PercentEncoding.decode(parameters.get("id") ?? "") else {
            throw TransferError(.invalidRequest, "The path has a broken percent-escape.")
        }
        return text
    }
}
