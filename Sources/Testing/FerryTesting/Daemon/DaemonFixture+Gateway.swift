import Foundation

extension DaemonFixture {
    /// Turns the gateway on, on a free port of 127.0.0.1. Only ``folder`` is allowed for downloads.
    ///
    /// - Throws: ``TestingError`` if the gateway does not start.
    package func openGateway() async throws -> (port: Int, secret: String) {
        _ = try await run(["gateway", "folders", "--add", folder])
        for other in try await run(["gateway", "folders"]).lines where other != folder {
            _ = try await run(["gateway", "folders", "--remove", other])
        }
        while true {
            // Another program may take the port before the gateway does.
            let port = try await LocalPorts.free(1)[0]
            let on = try await run(["gateway", "on", "--port", "\(port)", "--address", "127.0.0.1"])
            if on.status == 1 { continue }
            guard on.stdout == "http://127.0.0.1:\(port)/jsonrpc\n" else {
                throw TestingError("The gateway does not answer: \(on)")
            }
            return (port, try await run(["gateway", "secret"]).lines.first ?? "")
        }
    }
}
