import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response whose body is one JSON value, with a line break at its end for people at a terminal.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var fields = headers
        fields[.contentType] = MediaType.json
        return Response(
            status: status, headers: fields, body: ResponseBody(byteBuffer: try JSONLine.buffer(value)))
    }
}

/// Writes values as lines of JSON.
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

/// An error whose HTTP status says more than its code: a path, method, size or content type that is not served.
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
