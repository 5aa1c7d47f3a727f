// Ferry: FerryClient
// HTTP over the daemon's socket.

import AsyncHTTPClient
import FerryAPI
import FerryCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Carries requests over the daemon's socket and says how they failed. Starts nothing, tries nothing twice.
final class DaemonConnection: Sendable {
    private let socket: String
    private let base: String
    private let limit: Duration
    private let group: MultiThreadedEventLoopGroup
    private let http: HTTPClient
    private let calls = Mutex(Calls())

    private struct Calls {
        /// Calls that wait for their response.
        var count = 0
        var isShutDown = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

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

    /// Whether a call may be made: not once the connection is shut down.
    private func beginCall() -> Bool {
        calls.withLock { calls in
            if !calls.isShutDown { calls.count += 1 }
            return !calls.isShutDown
        }
    }

    private func endCall() {
        let waiting = calls.withLock { calls in
            calls.count -= 1
            guard calls.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { calls.idle = [] }
            return calls.idle
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends open exchanges and frees the thread; calls that are made later fail as canceled.
    func shutdown() async {
        calls.withLock { $0.isShutDown = true }
        try? await http.shutdown()
        // A call that is being made must find the loop running, and so must what it leaves behind.
        await withCheckedContinuation { continuation in
            let isIdle = calls.withLock { calls in
                if calls.count > 0 { calls.idle.append(continuation) }
                return calls.count == 0
            }
            if isIdle { continuation.resume() }
        }
        try? await group.next().submit {}.get()
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
        guard beginCall() else { throw .canceled }
        do {
            defer { endCall() }
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
