import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import FerryPostgres
import Hummingbird
import Logging
import ServiceLifecycle

/// Where the figures of a worker are served.
struct MetricsAddress: Hashable, ExpressibleByArgument {
    var host: String
    var port: Int

    /// Parses `HOST:PORT`, or a port of loopback.
    init?(argument text: String) {
        let colon = text.lastIndex(of: ":")
        let number = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port), number.allSatisfy(\.isNumber) else { return nil }
        var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, !host.hasControls else { return nil }
        (self.host, self.port) = (host, port)
    }
}

/// Serves `/metrics` for Prometheus and `/ready` for probes.
struct MetricsServer {
    let address: MetricsAddress
    let worker: FleetWorker
    /// A connection of its own, so that no question about the fleet holds up the worker.
    let queue: PostgresQueue
    let logger: Logger

    /// Runs until its task is canceled. An address that cannot be used is tried again.
    ///
    /// - Parameter opened: Called with the port once it listens.
    func run(opened: @escaping @Sendable (Int) -> Void = { _ in }) async {
        while !Task.isCancelled {
            do {
                try await application(opened).run()
            } catch is CancellationError {
                return
            } catch {
                logger.error(
                    "no metrics: \(address.host):\(address.port) cannot be used: \("\(error)".escapingControls)")
            }
            try? await Task.sleep(for: .seconds(5))
        }
    }

    private func application(_ opened: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
        let router = Router()
        router.get("metrics") { [worker, queue] _, _ -> Response in
            let fleet = await Self.fleet(queue)
            let text = await FleetMetrics(worker: worker.snapshot, fleet: fleet, now: Date()).text
            return Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
        router.get("ready") { [worker] _, _ -> Response in
            let isReady = await worker.snapshot.isMember
            return Response(
                status: isReady ? .ok : .serviceUnavailable, headers: [.contentType: "text/plain"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: isReady ? "ready\n" : "not a member of the fleet\n")))
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: nil),
            onServerRunning: { channel in opened(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "metrics") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The database's figures, or `nil` if it is away.
    private static func fleet(_ queue: PostgresQueue) async -> FleetMetrics.Fleet? {
        guard let status = try? await queue.status(), let facts = try? await queue.facts() else { return nil }
        return FleetMetrics.Fleet(status: status, facts: facts)
    }
}
