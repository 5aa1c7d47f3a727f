import Foundation
import Subprocess
import Synchronization

/// An nginx process for one test, on free ports, with its files in a temporary folder.
///
/// It listens for HTTP/1.1, for HTTP/1.1 over TLS, and for HTTP/2 over TLS.
package final class Nginx: Sendable {
    /// The protocol of a listener.
    package enum Listener: Int, CaseIterable, Sendable {
        case http, https, http2
    }

    /// Path of the trusted certificate authority, in PEM form.
    package var caFile: String { certificates.caFile }

    private let folder: TemporaryFolder
    private let certificates: TestCertificates
    /// The port of each listener, in the order of the cases.
    private let ports: [Int]
    private let process: NginxProcess

    private init(
        folder: TemporaryFolder, certificates: TestCertificates, ports: [Int], process: NginxProcess
    ) {
        self.folder = folder
        self.certificates = certificates
        self.ports = ports
        self.process = process
    }

    /// Whether nginx is installed.
    package static var isInstalled: Bool { NginxProcess.isInstalled }

    /// Starts nginx and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - limitRate: Bytes per second for each connection, or `nil` for no limit.
    ///   - locations: More directives of each server, such as `location` blocks.
    package static func start(limitRate: Int? = nil, locations: String = "") async throws -> Nginx {
        let folder = try TemporaryFolder()
        do {
            let certificates = try await TestCertificates.make()
            do {
                try FileManager.default.createDirectory(
                    atPath: folder.file("files"), withIntermediateDirectories: false)
                return try await start(in: folder, certificates, limitRate: limitRate, locations: locations)
            } catch {
                certificates.remove()
                throw error
            }
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Starts nginx with retries, because another program may take a port before nginx does.
    private static func start(
        in folder: TemporaryFolder, _ certificates: TestCertificates, limitRate: Int?, locations: String
    ) async throws -> Nginx {
        for _ in 1...5 {
            let ports = try await LocalPorts.free(Listener.allCases.count)
            let configuration = NginxConfiguration(
                folder: folder, certificates: certificates, ports: ports, limitRate: limitRate,
                locations: locations)
            try Data(configuration.text.utf8).write(to: URL(filePath: folder.file("nginx.conf")))
            let process = try NginxProcess(folder: folder)
            if try await process.waitUntilReady(ports: ports) {
                return Nginx(folder: folder, certificates: certificates, ports: ports, process: process)
            }
        }
        let log = (try? String(contentsOfFile: folder.file("error.log"), encoding: .utf8)) ?? ""
        throw TestingError("nginx does not start: \(log)")
    }

    /// Stops the process and removes its files.
    package func stop() async {
        await process.stop()
        certificates.remove()
        folder.remove()
    }

    /// Adds a file to the document root.
    package func add(file name: String, body: SeededBody) throws {
        let path = filePath(name)
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw TestingError("\(path) cannot be made.")
        }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        var position: Int64 = 0
        while position < body.size {
            let end = min(position + 1 << 20, body.size)
            try file.write(contentsOf: Data(body.bytes(in: position..<end)))
            position = end
        }
    }

    /// Returns the path of a file in the document root.
    package func filePath(_ name: String) -> String { folder.file("files/\(name)") }

    /// Returns the URL of a file in the document root.
    package func url(_ name: String, over listener: Listener = .http) -> String {
        let base = listener == .http ? "http://127.0.0.1" : "https://localhost"
        return "\(base):\(ports[listener.rawValue])/\(name)"
    }

    /// Returns the lines of the access log so far: method, path, protocol, status, body bytes, Range, connection
    /// number.
    package func accessLog() -> [String] {
        let text = (try? String(contentsOfFile: folder.file("access.log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}

/// Calls a closure with an nginx and stops it afterwards.
package func withNginx<Result>(
    limitRate: Int? = nil, locations: String = "", _ body: (Nginx) async throws -> Result
) async throws -> Result {
    let nginx = try await Nginx.start(limitRate: limitRate, locations: locations)
    do {
        let result = try await body(nginx)
        await nginx.stop()
        return result
    } catch {
        await nginx.stop()
        throw error
    }
}

/// An nginx configuration that keeps all files in one folder.
struct NginxConfiguration {
    var folder: TemporaryFolder
    var certificates: TestCertificates
    /// The ports, in the order of ``Nginx/Listener``.
    var ports: [Int]
    var limitRate: Int?
    var locations = ""

    // A single process without workers leaves nothing behind when it is terminated, and reads files as the user who
    // runs the tests.
    var text: String {
        """
        daemon off;
        master_process off;
        pid \(folder.file("nginx.pid"));
        error_log \(folder.file("error.log"));
        events { worker_connections 1024; }
        http {
            types { }
            default_type application/octet-stream;
            sendfile on;
            tcp_nopush on;
            keepalive_timeout 60s;
            log_format tests '$request_method $request_uri $server_protocol $status $body_bytes_sent '
                             '"$http_range" $connection';
            access_log \(folder.file("access.log")) tests;
            client_body_temp_path \(folder.file("body"));
            proxy_temp_path \(folder.file("proxy"));
            fastcgi_temp_path \(folder.file("fastcgi"));
            uwsgi_temp_path \(folder.file("uwsgi"));
            scgi_temp_path \(folder.file("scgi"));
            root \(folder.file("files"));
            limit_rate \(limitRate ?? 0);
            ssl_certificate \(certificates.certificateFile);
            ssl_certificate_key \(certificates.keyFile);
            server { listen 127.0.0.1:\(ports[0]); \(locations) }
            server { listen 127.0.0.1:\(ports[1]) ssl; \(locations) }
            server { listen 127.0.0.1:\(ports[2]) ssl http2; \(locations) }
        }

        """
    }
}
