import FerryCore
import Glibc

/// Whether a connection's server is whom its name says: a socket, loopback, or TLS with `sslmode=verify-full`.
///
/// Judged on the options that libpq has put together, from the text, the service file and the environment, and on the
/// connection that it has made.
enum DatabaseSecurity {
    /// The `sslmode` to add to the options, or `nil` if they are safe as they are.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if they ask for a mode that verifies no server.
    static func mode(for options: ConnectionOptions) throws(ServiceError) -> String? {
        let hosts = (options["hostaddr"] ?? options["host"] ?? "").split(separator: ",")
        guard !hosts.allSatisfy({ isLocal(String($0)) }) else { return nil }
        switch options["sslmode"] {
        case "verify-full": return nil
        // `prefer` is what libpq uses if nobody has said anything.
        case nil, "prefer": return "verify-full"
        case let mode?:
            throw ServiceError(
                .invalidRequest,
                "sslmode=\(mode.escapingControls) does not verify the database's server. Remove it, or give --insecure-database."
            )
        }
    }

    /// Checks a connection that was made.
    ///
    /// - Parameters:
    ///   - host: The host's name, or the folder of a socket.
    ///   - address: The server's numeric address, or empty for a socket.
    ///   - mode: The `sslmode` of the connection.
    /// - Throws: ``ServiceError`` with code `queue_unsuitable`.
    static func check(host: String, address: String, usesTLS: Bool, mode: String?) throws(ServiceError) {
        let isLocal = address.isEmpty ? isSocket(host) : isLoopback(address)
        guard isLocal || usesTLS && mode == "verify-full" else {
            throw ServiceError(
                .queueUnsuitable,
                "The connection to \((host.isEmpty ? address : host).escapingControls) does not verify the database's server. Set sslmode=verify-full, or give --insecure-database."
            )
        }
    }

    /// A name that only resolves to loopback by chance, such as `127.example.org`, is not local.
    private static func isLocal(_ host: String) -> Bool { isSocket(host) || host == "localhost" || isLoopback(host) }

    private static func isSocket(_ host: String) -> Bool { host.hasPrefix("/") || host.hasPrefix("@") }

    private static func isLoopback(_ address: String) -> Bool {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, address, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, address, &v6) == 1 else { return false }
        return unsafe withUnsafeBytes(of: &v6) { bytes in
            let isMapped = unsafe bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            if isMapped { return unsafe bytes[12] == 127 }
            return unsafe bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }
}
