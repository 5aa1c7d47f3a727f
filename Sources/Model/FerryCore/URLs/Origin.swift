import FerryFoundation

/// Scheme, host and port (RFC 6454 §4): the scope of credentials, validators and limits.
package struct Origin: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Maximum time in seconds for which one response holds back other requests to its origin.
    package static let longestHold = 3600.0

    /// `http` or `https`.
    package let scheme: String
    /// Lowercase host, with brackets around an IPv6 address.
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    package var description: String { "\(scheme)://\(host):\(port)" }
}

/// User name and password. The enclosing value binds them to one origin or proxy.
package struct Credentials: Hashable, Codable, Sendable {
    package let user: String
    package let password: String?

    package init(user: String, password: String?) {
        self.user = user
        self.password = password
    }

    /// The value of an `Authorization` field with scheme Basic (RFC 7617), in UTF-8.
    package var basicAuthorization: String {
        "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
    }
}

extension Credentials: CustomStringConvertible {
    /// Contains neither user name nor password, so that logs cannot reveal them.
    package var description: String { "(credentials)" }
}

extension Credentials: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
