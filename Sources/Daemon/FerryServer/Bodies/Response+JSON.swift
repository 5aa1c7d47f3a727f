import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Returns a response with one JSON value. A line break at the end helps people at a terminal.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var fields = headers
        fields[.contentType] = MediaType.json
        return Response(
            status: status, headers: fields, body: ResponseBody(byteBuffer: try JSONLine.buffer(value)))
    }
}

/// Encodes values as JSON lines.
enum JSONLine {
    static func append(_ value: some Encodable, to buffer: inout ByteBuffer) throws {
        buffer.writeBytes(try APIJSON.bytes(value))
        buffer.writeInteger(UInt8(ascii: "\n"))
    }

    static func buffer(_ value: some Encodable) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        try append(value, to: &buffer)
        return buffer
    }
}

/// An error with a more specific HTTP status than its code implies: an unsupported path, method, size or content type.
struct APIFailure: Error {
    let status: HTTPResponse.Status
    let error: ServiceError
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ message: String, headers: HTTPFields = [:]) {
        self.init(status, ServiceError(.invalidRequest, message), headers: headers)
    }

    init(_ status: HTTPResponse.Status, _ error: ServiceError, headers: HTTPFields = [:]) {
        self.status = status
        self.error = error
        self.headers = headers
    }
}
