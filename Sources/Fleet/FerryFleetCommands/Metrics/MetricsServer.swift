import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Where the figures of a worker are served.
struct MetricsAddress: Hashable, ExpressibleByArgument {
    var host: String
    var port: Int

    /// Parses `HOST:PORT`, or a port of loopback.
    init?(argument text: String) {
        let colon = text.lastIndex(of: ":")
        let number = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port), number.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, !host.hasControls else { return nil }
        (self.host, self.port) = (host, port)
    }
}

/// Serves `/metrics` and `/metrics/fleet` for Prometheus, and `/ready` for probes.
struct MetricsServer {
    let address: MetricsAddress
    let worker: FleetWorker
    /// A connection of its own, so that no question about the fleet holds up the worker.
    let queue: PostgresQueue
    let logger: Logger

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// Runs until its task is canceled. An address that cannot be used is tried again.
    func run() async {
        while !Task.isCancelled {
            do {
                try await listen()
            } catch is CancellationError {
                return
            } catch {
                logger.error(
                    "no metrics: \(address.host):\(address.port) cannot be used: \("\(error)".escapingControls)")
            }
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func listen() async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    // A client that goes away is not an error.
                    group.addTask { try? await serve(connection) }
                }
            }
        }
    }

    /// Answers one request, and closes the connection.
    private func serve(_ connection: Connection) async throws {
        try await connection.executeThenClose { requests, responses in
            for try await part in requests {
                guard case .head(let head) = part else { continue }
                let (status, text) = await answer(to: head)
                let headers: HTTPHeaders = [
                    "Content-Type": PrometheusText.contentType, "Content-Length": "\(text.utf8.count)",
                    "Connection": "close",
                ]
                let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
                try await responses.write(.head(response))
                if head.method != .HEAD { try await responses.write(.body(.byteBuffer(ByteBuffer(string: text)))) }
                try await responses.write(.end(nil))
                return
            }
        }
    }

    private func answer(to head: HTTPRequestHead) async -> (HTTPResponseStatus, String) {
        guard head.method == .GET || head.method == .HEAD else { return (.methodNotAllowed, "") }
        switch head.uri.prefix(while: { $0 != "?" }) {
        case "/metrics":
            return (.ok, await WorkerMetrics(worker: worker.snapshot).text)
        case "/metrics/fleet":
            guard let text = await fleet() else { return (.serviceUnavailable, "the database does not answer\n") }
            return (.ok, text)
        case "/ready":
            let isReady = await worker.snapshot.isMember
            return isReady ? (.ok, "ready\n") : (.serviceUnavailable, "not a member of the fleet\n")
        default: return (.notFound, "")
        }
    }

    /// The database's figures, or `nil` if it is away.
    private func fleet() async -> String? {
        guard let status = try? await queue.status(), let facts = try? await queue.facts() else { return nil }
        return FleetMetrics(status: status, facts: facts, now: Date()).text
    }
}
