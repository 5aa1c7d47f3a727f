// Ferry: FerryClient
// HTTP over the daemon's socket.

import AsyncHTTPClient
import FerryAPI
import FerryCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Carries requests over the daemon's socket and says how they failed. Starts nothing, tries nothing twice.
final class DaemonConnection: Sendable {
    private let socket: String
    private let base: String
    private let limit: Duration
    private let group: MultiThreadedEventLoopGroup
    private let http: HTTPClient

    init(socket: String, limit: Duration) {
        self.socket = socket
        self.base = "http+unix://" + PercentEncoding.encode(socket)
        self.limit = limit
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // Every event stream holds a connection for as long as it lasts; calls must not wait for one to end.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        http = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Ends open exchanges and frees the thread.
    func shutdown() async {
        try? await http.shutdown()
        try? await group.shutdownGracefully()
    }

    /// Sends a request and returns the head of a successful response; its body is still to be read.
    func open(
        _ route: Route, _ target: String, body: ByteBuffer? = nil, type: String = MediaType.json, limited: Bool = true
    ) async throws(ConnectionFailure) -> HTTPClientResponse {
        var request = HTTPClientRequest(url: base + target)
        request.method = .init(rawValue: route.method.rawValue)
        request.headers.add(name: "User-Agent", value: "Ferry/\(FerryVersion.current)")
        if let body {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(body)
        }
        let response: HTTPClientResponse
        do {
            response = try await http.execute(request, deadline: limited ? deadline : .distantFuture)
        } catch {
            throw failure(error)
        }
        guard (200..<300).contains(response.status.code) else {
            let bytes = try await collect(response, upTo: BodyLimit.value)
            throw .answered(Self.error(in: bytes, status: Int(response.status.code)))
        }
        return response
    }

    /// Reads a whole body.
    func collect(_ response: HTTPClientResponse, upTo limit: Int) async throws(ConnectionFailure) -> ByteBuffer {
        do {
            return try await response.body.collect(upTo: limit)
        } catch {
            throw failure(error)
        }
    }

    func failure(_ error: any Error) -> ConnectionFailure {
        switch error {
        case is CancellationError: return .canceled
        case let error as HTTPClientError where error == .cancelled: return .canceled
        case let error as IOError where Self.nobody.contains(error.errnoCode):
            return .nobodyListens("\(socket.escapingControls): \(unsafe String(cString: strerror(error.errnoCode)))")
        default: return .lost(String(describing: error).escapingControls)
        }
    }

    // EAGAIN: so many wait to be accepted that the daemon may be stuck or about to end.
    private static let nobody: Set<CInt> = [ENOENT, ECONNREFUSED, ENOTDIR, EACCES, EAGAIN]

    private var deadline: NIODeadline { .now() + TimeAmount(limit) }

    private static func error(in body: ByteBuffer, status: Int) -> TransferError {
        if let answer = try? APIJSON.decoder.decode(ErrorBody.self, from: Data(body.readableBytesView)) {
            return answer.error
        }
        return TransferError(
            .internal, "The daemon answered with status \(status) and no error that this version can read.",
            details: ErrorDetails(httpStatus: status))
    }
}
