import CPostgres
package import FerryCore

/// The address of the fleet's database: a connection string or URI of libpq (PostgreSQL documentation §34.1.1).
package struct DatabaseAddress: Hashable, Sendable {
    let text: String
    /// Parameters that secure the connection.
    let security: [(String, String)]

    package static func == (left: DatabaseAddress, right: DatabaseAddress) -> Bool { left.text == right.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Checks the text without connecting.
    ///
    /// A server on another machine must prove its name by a certificate (`sslmode=verify-full`, the default here).
    /// - Parameter allowsInsecure: Whether a weaker `sslmode` is accepted.
    /// - Throws: ``ServiceError`` with code `invalid_request`, also if the text contains a password: passwords belong
    ///   into `~/.pgpass`.
    package init(_ text: String, allowsInsecure: Bool = false) throws(ServiceError) {
        let options = try Self.parse(text)
        guard options["password"] == nil else {
            throw ServiceError(
                .invalidRequest, "The database's address contains a password. Move it to ~/.pgpass (mode 0600).")
        }
        let hosts = (options["hostaddr"] ?? options["host"] ?? "").split(separator: ",")
        let isLocal = options["service"] == nil && hosts.allSatisfy { Self.isLocal($0) }
        let mode = options["sslmode"]
        if !isLocal, !allowsInsecure, let mode, mode != "verify-full" {
            throw ServiceError(
                .invalidRequest,
                "sslmode=\(mode.escapingControls) does not verify the database's server. Remove it, or give --insecure-database."
            )
        }
        self.text = text
        security = isLocal || allowsInsecure || mode != nil ? [] : [("sslmode", "verify-full")]
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "::1"].contains(host) || host.hasPrefix("127.")
    }

    private static func parse(_ text: String) throws(ServiceError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let first = unsafe PQconninfoParse(text, &message) else {
            let reason = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
            unsafe PQfreemem(message)
            let line = reason.split(separator: "\n").first.map(String.init) ?? reason
            throw ServiceError(.invalidRequest, "The database's address is invalid: \(line.escapingControls).")
        }
        defer { unsafe PQconninfoFree(first) }
        var options: [String: String] = [:]
        var option = unsafe first
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe options[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return options
    }
}
