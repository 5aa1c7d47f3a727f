import CPostgres
package import FerryCore

/// The address of the fleet's database: a connection string or URI of libpq (PostgreSQL documentation §34.1.1).
package struct DatabaseAddress: Hashable, Sendable {
    let text: String
    /// Whether a connection is accepted that does not verify its server.
    let allowsInsecure: Bool

    /// Checks the text without connecting.
    ///
    /// - Parameter allowsInsecure: Whether a connection is accepted that does not verify its server
    ///   (``DatabaseSecurity``).
    /// - Throws: ``ServiceError`` with code `invalid_request`, also if the text contains a password: passwords belong
    ///   into `~/.pgpass`.
    package init(_ text: String, allowsInsecure: Bool = false) throws(ServiceError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = unsafe PQconninfoParse(text, &message) else {
            let reason = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
            unsafe PQfreemem(message)
            let line = reason.split(separator: "\n").first.map(String.init) ?? reason
            throw ServiceError(.invalidRequest, "The database's address is invalid: \(line.escapingControls).")
        }
        let options = unsafe ConnectionOptions(parsed)
        guard options["password"] == nil else {
            throw ServiceError(
                .invalidRequest, "The database's address contains a password. Move it to ~/.pgpass (mode 0600).")
        }
        self.text = text
        self.allowsInsecure = allowsInsecure
        // A server that a service or the environment names is judged when it is connected to.
        if !allowsInsecure, options["service"] == nil, options["host"] != nil || options["hostaddr"] != nil {
            _ = try DatabaseSecurity.mode(for: options)
        }
    }
}

/// Options of a connection by their keywords.
struct ConnectionOptions: Hashable, Sendable {
    private var values: [String: String] = [:]

    init(_ values: [String: String]) { self.values = values }

    /// Copies libpq's list and frees it.
    init(_ first: UnsafeMutablePointer<PQconninfoOption>) {
        var option = unsafe first
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val, unsafe value.pointee != 0 {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        unsafe PQconninfoFree(first)
    }

    subscript(keyword: String) -> String? { values[keyword] }
}
