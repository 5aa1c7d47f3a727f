package import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that keeps uploads and resumes them by the IETF's protocol
/// (draft-ietf-httpbis-resumable-upload), with configurable behavior. It keeps received content across `stop()` and
/// `restart()`.
package final class UploadServer: Sendable {
    package let port: Int
    private let log: UploadLog
    private let listener: Mutex<(any Channel)?>
    /// Reserves the port while no socket listens on it.
    private let keeper = Mutex<PortKeeper?>(nil)

    private init(_ channel: any Channel, _ log: UploadLog) {
        port = channel.localAddress?.port ?? 0
        self.log = log
        listener = Mutex(channel)
    }

    package static func start(_ behaviour: UploadBehaviour = UploadBehaviour()) async throws -> UploadServer {
        let log = UploadLog(behaviour)
        let channel = try await listen(port: 0, log)
        return UploadServer(channel, log)
    }

    private static func listen(port: Int, _ log: UploadLog) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    log.opened(channel)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
                    try pipeline.addHandler(UploadConnection(log))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    package func url(_ path: String = "/in") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Closes all connections and accepts no more, like a killed server. Received content is kept.
    package func stop() async {
        let channel = listener.withLock { $0.take() }
        try? await channel?.close()
        keeper.withLock { $0 = PortKeeper(port: port) }
        await log.endConnections()
    }

    /// Listens again on the same port.
    package func restart() async throws {
        let channel = try await Self.listen(port: port, log)
        listener.withLock { $0 = channel }
    }

    /// Changes the behavior for the next requests.
    package func behave(_ change: (inout UploadBehaviour) -> Void) { log.change(change) }

    /// All requests so far, in order.
    package var requests: [UploadedRequest] { log.requests }
    /// Content of each completed upload, by the path of its first request.
    package var completed: [String: ByteBuffer] { log.completed }
    /// SHA-256 of each completed upload's content, by path.
    package var digests: [String: String] { completed.mapValues { FileDigest.sha256($0) } }
    /// Number of content bytes received over all connections.
    package var bytesReceived: Int64 { log.bytesReceived }
    /// Content of all uploads so far.
    package var contents: [ByteBuffer] { log.contents }

    /// Waits until the server has received this many content bytes.
    package func wait(forBytes count: Int64) async throws {
        try await eventually("the server gets \(count) bytes") { self.bytesReceived >= count }
    }
}

/// A received request.
package struct UploadedRequest: Sendable {
    package var method: String
    package var path: String
    package var fields: HTTPHeaders
    /// Number of content bytes received with it.
    package var count: Int64 = 0

    package func value(_ name: String) -> String? { fields.first(name: name) }
}

/// The behavior of an ``UploadServer``.
package struct UploadBehaviour: Sendable {
    /// A fault in the handling of one request.
    package enum Fault: Sendable {
        /// Closes the connection after this many content bytes of the request.
        case cut(afterBytes: Int64)
        /// Sends a response before reading any content, and closes the connection.
        case status(Int, fields: [(String, String)] = [])
        /// Removes the upload.
        case gone
        /// Drops the upload's content except for this many bytes.
        case forgetsAllBut(Int64)
        /// Reports this offset instead of the actual one.
        case claims(String)
        /// Redirects to the same upload at another path, with this status.
        case redirect(Int)
        /// Receives everything, and closes the connection without a response.
        case noAnswer
    }

    /// Whether uploads can be resumed.
    package var resumes = true
    /// Whether a 104 announces the upload's location.
    package var announces = true
    /// Content bytes of a request after which the 104 is sent.
    package var announcesAfter: Int64 = 0
    /// Interval, in content bytes of a request, between 104 responses with the offset. `nil` sends none.
    package var progressEvery: Int64?
    package var versions: Set<Int> = [3, 5, 6, 8]
    /// The base of the upload resources' URLs: a path, or the URL of another origin.
    package var base = "/uploads/"
    package var mostOfPart: Int64?
    package var mostOfAll: Int64?
    /// Status and body of the response to a complete upload.
    package var answer: (status: Int, body: String) = (201, "stored")
    /// Faults by request number, starting at 1.
    package var faults: [Int: Fault] = [:]
    /// The fault of every request without its own.
    package var always: Fault?

    package init() {}
}
