package import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that keeps uploads, and resumes them by the IETF's protocol (draft-ietf-httpbis-resumable-upload) as its
/// behaviour says. It keeps what it has got through a restart of its own.
package final class UploadServer: Sendable {
    package let port: Int
    private let log: UploadLog
    private let listener: Mutex<(any Channel)?>
    /// Keeps the port while no socket listens on it.
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

    /// Ends all connections and takes none, as a server does that was killed; what it has got stays.
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

    /// Changes how the next requests are answered.
    package func behave(_ change: (inout UploadBehaviour) -> Void) { log.change(change) }

    /// All requests so far, in order.
    package var requests: [UploadedRequest] { log.requests }
    /// Content of each upload that was completed, by the path that it was sent to first.
    package var completed: [String: ByteBuffer] { log.completed }
    /// SHA-256 of the content of each completed upload, by its path.
    package var digests: [String: String] { completed.mapValues { FileDigest.sha256($0) } }
    /// Content bytes that came over all connections.
    package var bytesReceived: Int64 { log.bytesReceived }
    /// Content of all uploads as far as they came.
    package var contents: [ByteBuffer] { log.contents }

    /// Waits until the server has got so many content bytes.
    package func wait(forBytes count: Int64) async throws {
        try await eventually("the server gets \(count) bytes") { self.bytesReceived >= count }
    }
}

/// A request as the server got it.
package struct UploadedRequest: Sendable {
    package var method: String
    package var path: String
    package var fields: HTTPHeaders
    /// Content bytes that came with it.
    package var count: Int64 = 0

    package func value(_ name: String) -> String? { fields.first(name: name) }
}

/// How an ``UploadServer`` answers.
package struct UploadBehaviour: Sendable {
    /// A failure of one request.
    package enum Fault: Sendable {
        /// The connection ends once so many content bytes have come with the request.
        case cut(afterBytes: Int64)
        /// A response before any content is read; the connection ends with it.
        case status(Int, fields: [(String, String)] = [])
        /// The upload is gone.
        case gone
        /// The server has lost all of the upload but so many bytes.
        case forgetsAllBut(Int64)
        /// Claims another offset than it has.
        case claims(String)
        /// Redirects to the same upload under another path.
        case redirect(Int)
        /// Takes everything, and ends the connection before it answers.
        case noAnswer
    }

    /// Whether uploads are resumed at all.
    package var resumes = true
    /// Whether a 104 says where the upload is kept.
    package var announces = true
    /// Content bytes of a request after which the 104 comes.
    package var announcesAfter: Int64 = 0
    /// Content bytes of a request after each of which a 104 states the offset; nil is never.
    package var progressEvery: Int64?
    package var versions: Set<Int> = [3, 5, 6, 8]
    /// The base of the upload resources' URLs; a path of its own, or another origin's URL.
    package var base = "/uploads/"
    package var mostOfPart: Int64?
    package var mostOfAll: Int64?
    /// Status and body of the answer to a whole upload.
    package var answer: (status: Int, body: String) = (201, "stored")
    /// Faults by the number of the request, the first being 1.
    package var faults: [Int: Fault] = [:]
    /// The fault of every request that has none of its own.
    package var always: Fault?

    package init() {}
}
