import FerryFoundation

/// A scheme, host and port (RFC 6454 §4): what credentials, validators and limits belong to.
package struct Origin: Hashable, Codable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// Lower-case host; an IPv6 address stands in brackets.
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    package var description: String { "\(scheme)://\(host):\(port)" }
}

/// A user name and password; the value that holds them binds them to one origin or proxy.
package struct Credentials: Hashable, Codable, Sendable {
    package let user: String
    package let password: String?

    package init(user: String, password: String?) {
        self.user = user
        self.password = password
    }

    /// The value of an `Authorization` field of scheme Basic (RFC 7617), in UTF-8.
    package var basicAuthorization: String {
        "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
    }
}

extension Credentials: CustomStringConvertible {
    /// Names neither user nor password, so that a log cannot show them.
    package var description: String { "(credentials)" }
}

extension Credentials: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
