import FerryAPI
import FerryCore
import FerryFoundation
import NIOCore

/// Calls to endpoints over the connection.
extension DaemonConnection {
    /// Calls an endpoint with a JSON response. The request body is JSON too, unless another type is given.
    func call<E: Endpoint>(
        _ endpoint: E.Type, _ parameter: String? = nil, query: [QueryItem] = [], body: ByteBuffer? = nil,
        type: String = MediaType.json
    ) async throws(ConnectionFailure) -> E.Response {
        let bytes = try await answer(endpoint, parameter, query: query, body: body, type: type)
        return try Self.decode(E.Response.self, from: bytes)
    }

    /// Calls an endpoint and returns the text of its response.
    func answer<E: Endpoint>(
        _ endpoint: E.Type, _ parameter: String? = nil, query: [QueryItem] = [], body: ByteBuffer? = nil,
        type: String = MediaType.json
    ) async throws(ConnectionFailure) -> Data {
        let response = try await open(E.route, E.route.target(parameter, query: query), body: body, type: type)
        let bytes = try await response.collect(upTo: Self.largestAnswer)
        return Data(bytes.readableBytesView)
    }

    /// Calls an endpoint with bodies of JSON lines. Also returns the response head, which has information that the
    /// lines lack.
    func callLines<E: Endpoint>(
        _ endpoint: E.Type, body: ByteBuffer
    ) async throws(ConnectionFailure) -> (lines: [E.Response], head: ResponseFraming.Head) {
        let response = try await open(E.route, E.route.target(), body: body, type: MediaType.lines)
        var bytes = try await response.collect(upTo: Self.largestAnswer)
        var splitter = LineSplitter()
        var lines = splitter.append(bytes.readBytes(length: bytes.readableBytes) ?? [])
        if let last = splitter.finish() { lines.append(last) }
        var results: [E.Response] = []
        results.reserveCapacity(lines.count)
        for line in lines { results.append(try Self.decode(E.Response.self, from: line)) }
        return (results, response.head)
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data
    ) throws(ConnectionFailure) -> Value {
        do {
            return try APIJSON.decoder.decode(type, from: data)
        } catch {
            throw .answered(
                ServiceError(
                    .internal, "This version (\(FerryVersion.current)) cannot read the daemon's reply: \(error)"))
        }
    }

    // Leaves ample room for a page of 1,000 transfers and for the responses to the largest batch.
    private static let largestAnswer = 1 << 30
}
