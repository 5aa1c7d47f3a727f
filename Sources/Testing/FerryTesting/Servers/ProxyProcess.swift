package import FerryCore
import Foundation
import Subprocess
import Synchronization

/// A third-party proxy on a free port of 127.0.0.1. Terminates only the process that it started.
package final class ProxyProcess: Sendable {
    package enum Program: String, CaseIterable, Sendable {
        /// HTTP, with tunnels to every port.
        case tinyproxy
        /// HTTP over TLS, with tunnels to port 443 only, as in its default configuration.
        case squid
        /// SOCKS 5.
        case microsocks

        package var isInstalled: Bool {
            ProxyProcess.searchPath.split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(rawValue)")
            }
        }
    }

    /// PATH, and the folders where distributions install servers.
    private static let searchPath: String =
        [ProcessInfo.processInfo.environment["PATH"], "/usr/sbin", "/usr/local/sbin"].compactMap(\.self)
        .joined(separator: ":")

    package let port: Int
    private let folder: TemporaryFolder
    private let task: Task<Void, any Error>

    private init(port: Int, folder: TemporaryFolder, task: Task<Void, any Error>) {
        (self.port, self.folder, self.task) = (port, folder, task)
    }

    /// Starts a proxy and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - credentials: The credentials that the proxy requires.
    ///   - certificates: The certificates of squid, which needs them.
    package static func start(
        _ program: Program, credentials: Credentials? = nil, certificates: TestCertificates? = nil
    ) async throws -> ProxyProcess {
        // Another program may take the port before the proxy does.
        for _ in 0..<5 {
            guard let port = try await LocalPorts.free(1).first else { continue }
            let folder = try TemporaryFolder()
            let arguments = try await arguments(program, port, folder, credentials, certificates)
            let hasEnded = Box()
            let task = Task(name: program.rawValue) {
                defer { hasEnded.value.store(true, ordering: .releasing) }
                var options = PlatformOptions()
                options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
                _ = try await run(
                    .name(program.rawValue), arguments: Arguments(arguments),
                    environment: .inherit.updating(["PATH": searchPath]), platformOptions: options,
                    output: .discarded, error: .discarded)
            }
            let proxy = ProxyProcess(port: port, folder: folder, task: task)
            try await eventually("\(program.rawValue) takes connections") {
                if hasEnded.value.load(ordering: .acquiring) { return true }
                return await LocalPorts.accepts(port)
            }
            if !hasEnded.value.load(ordering: .acquiring) { return proxy }
            await proxy.shutdown()
        }
        throw TestingError("\(program.rawValue) cannot be started.")
    }

    package func shutdown() async {
        task.cancel()
        _ = await task.result
        folder.remove()
    }

    private final class Box: Sendable {
        let value = Atomic<Bool>(false)
    }

    // MARK: Settings

    private static func arguments(
        _ program: Program, _ port: Int, _ folder: TemporaryFolder, _ login: Credentials?,
        _ certificates: TestCertificates?
    ) async throws -> [String] {
        switch program {
        case .microsocks:
            let proof = login.map { ["-u", $0.user, "-P", $0.password ?? ""] } ?? []
            return ["-i", "127.0.0.1", "-p", "\(port)"] + proof
        case .tinyproxy:
            var lines = ["Port \(port)", "Listen 127.0.0.1", "Timeout 60", "MaxClients 50", "Allow 127.0.0.1"]
            if let login { lines.append("BasicAuth \(login.user) \(login.password ?? "")") }
            try write(lines, to: folder.file("tinyproxy.conf"))
            return ["-d", "-c", folder.file("tinyproxy.conf")]
        case .squid:
            guard let certificates else { throw TestingError("squid needs certificates here.") }
            // squid reads its files as another user if root starts it.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            for (name, source) in [("pem", certificates.certificateFile), ("key", certificates.keyFile)] {
                let copy = folder.file("squid.\(name)")
                try FileManager.default.copyItem(atPath: source, toPath: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
            }
            let paths = (folder.file("squid.pem"), folder.file("squid.key"))
            var lines = [
                "https_port 127.0.0.1:\(port) tls-cert=\(paths.0) tls-key=\(paths.1)", "pid_filename none",
                "cache deny all", "access_log none", "cache_log /dev/null", "shutdown_lifetime 0 seconds",
                "acl CONNECT method CONNECT", "acl tls port 443",
            ]
            if let login {
                let hash = try await run(
                    .name("openssl"), arguments: ["passwd", "-apr1", login.password ?? ""], output: .string(limit: 200))
                let word = hash.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
                try write(["\(login.user):\(word)"], to: folder.file("users"))
                lines += [
                    "auth_param basic program /usr/lib/squid/basic_ncsa_auth \(folder.file("users"))",
                    "acl known proxy_auth REQUIRED", "http_access deny !known",
                ]
            }
            lines += ["http_access deny CONNECT !tls", "http_access allow all"]
            try write(lines, to: folder.file("squid.conf"))
            return ["-N", "-f", folder.file("squid.conf")]
        }
    }

    private static func write(_ lines: [String], to path: String) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }
}
