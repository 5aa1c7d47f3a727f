import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A real server on 127.0.0.1 that follows a script and records its requests.
///
/// It writes raw bytes, so that it can send responses that no HTTP library would. Waiting methods return early when the
/// caller is canceled, so that a test's time limit ends them.
package final class ScriptedOrigin: Sendable {
    package let port: Int
    package let isSecure: Bool
    /// Path of the trusted certificate authority in PEM form, or `nil` without TLS.
    package var caFile: String? { certificates?.caFile }
    /// Paths of a client certificate that the origin accepts and of its key. They exist with `.asksForCertificate`
    /// only.
    package var clientFiles: (certificate: String, key: String)? {
        certificates.map { ($0.clientFile, $0.clientKeyFile) }
    }

    private let state: OriginState
    package let certificates: TestCertificates?
    private let listener: Mutex<(any Channel)?>
    /// Reserves the port while no socket listens on it.
    private let keeper = Mutex<PortKeeper?>(nil)
    private let makeListener: @Sendable (_ port: Int) async throws -> any Channel

    /// Starts an origin on a free port. With `tls`, it speaks TLS, correctly (`.trusted`) or with a fault.
    package static func start(_ script: OriginScript, tls: TLSFault? = nil) async throws -> ScriptedOrigin {
        let state = OriginState(script)
        var certificates: TestCertificates?
        var security: OriginSecurity?
        if let tls {
            let made = try await TestCertificates.make(for: tls)
            do {
                security = try OriginSecurity(tls, made)
            } catch {
                made.remove()
                throw error
            }
            certificates = made
        }
        let makeListener = { @Sendable [security] port in
            try await OriginListener.bind(port: port, state: state, security: security)
        }
        do {
            let channel = try await makeListener(0)
            return ScriptedOrigin(channel, state, certificates, makeListener)
        } catch {
            certificates?.remove()
            throw error
        }
    }

    private init(
        _ channel: any Channel, _ state: OriginState, _ certificates: TestCertificates?,
        _ makeListener: @escaping @Sendable (Int) async throws -> any Channel
    ) {
        port = channel.localAddress?.port ?? 0
        isSecure = certificates != nil
        listener = Mutex(channel)
        self.state = state
        self.certificates = certificates
        self.makeListener = makeListener
    }

    /// Returns the URL of a path. The default host is `localhost` with TLS, to match the certificate, and 127.0.0.1
    /// otherwise.
    package func url(_ path: String = "/file.bin", host: String? = nil) -> String {
        "\(isSecure ? "https" : "http")://\(host ?? (isSecure ? "localhost" : "127.0.0.1")):\(port)\(path)"
    }

    /// Stops listening and closes all connections.
    package func shutdown() async {
        await closeListener()
        keeper.withLock { $0 = nil }
        state.endConnections()
        await state.wait { $0.openConnections == 0 }
        certificates?.remove()
    }

    // MARK: Behaviour

    /// The origin's script. Setting it restarts the request numbers at 1. Responses in progress keep their plan.
    package var script: OriginScript {
        get { state.script }
        set { state.script = newValue }
    }

    /// Releases each response that waits at `hold(name, at:)`, including later ones.
    package func release(_ name: String) { state.release(name) }

    /// Closes the connections without a response in progress, like a server's keep-alive timeout.
    package func closeIdleConnections() { state.connections.closeIdle() }

    /// Closes the listening socket. New connections are refused; open ones stay.
    package func refuseConnections() async {
        let port = port
        await closeListener()
        keeper.withLock { $0 = PortKeeper(port: port) }
    }

    private func closeListener() async {
        let channel = listener.withLock { channel in
            let open = channel
            channel = nil
            return open
        }
        try? await channel?.close()
    }

    /// Listens again on the same port after `refuseConnections()`.
    package func acceptConnections() async throws {
        keeper.withLock { $0 = nil }
        let channel = try await makeListener(port)
        listener.withLock { $0 = channel }
    }

    // MARK: Facts

    package var facts: OriginFacts { state.facts }
    package var requests: [RecordedRequest] { facts.requests }
    /// Body bytes passed to the kernel, over all responses.
    package var bytesSent: Int64 { facts.bytesSent }

    /// Body bytes passed to the kernel, over all responses, once none is in progress. A client may have the last bytes
    /// before they are counted.
    package var allBytesSent: Int64 {
        get async {
            await waitForIdle()
            return bytesSent
        }
    }

    /// Returns once the facts satisfy a condition.
    package func wait(until condition: @escaping @Sendable (OriginFacts) -> Bool) async {
        await state.wait(until: condition)
    }

    /// Returns once this many requests have arrived since the start.
    package func waitForRequests(_ count: Int) async { await wait { $0.requests.count >= count } }

    /// Returns once this many body bytes were sent since the start.
    package func waitForBytesSent(_ count: Int64) async { await wait { $0.bytesSent >= count } }

    /// Returns once a response waits at `hold(name, at:)`.
    package func waitForHold(_ name: String) async { await wait { $0.held.contains(name) } }

    /// Returns once no response is in progress.
    package func waitForIdle() async { await wait { $0.activeResponses == 0 } }

    /// Returns once no connection is open.
    package func waitForNoConnections() async { await wait { $0.openConnections == 0 } }
}

/// Calls a closure with an origin and shuts it down afterwards.
package func withOrigin<Result>(
    _ script: OriginScript = OriginScript(), tls: TLSFault? = nil, _ body: (ScriptedOrigin) async throws -> Result
) async throws -> Result {
    let origin = try await ScriptedOrigin.start(script, tls: tls)
    do {
        let result = try await body(origin)
        await origin.shutdown()
        return result
    } catch {
        await origin.shutdown()
        throw error
    }
}

/// Reserves a port of 127.0.0.1 without listening. Connections to it are refused, and no other test can get it.
final class PortKeeper: Sendable {
    private let descriptor: CInt

    init(port: Int) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var yes: CInt = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}
