/// The credentials and cookies that a transfer sends to the hosts that ask for them.
package struct LoginOptions: Hashable, Sendable {
    package var cookies: [GivenCookie] = []
    /// Credentials by host, for the URL's host and for the hosts of redirects. A password in the URL takes precedence.
    package var logins: [GivenLogin] = []
    /// Whether credentials are sent over TLS before the server asks for them (RFC 7617 §2.2).
    package var isPreemptive = false
    /// Whether the cookies of the transfer's session are sent, and those of responses are stored in it.
    package var usesSessionCookies = true

    /// Maximum number of logins.
    package static let mostLogins = 200

    package init() {}

    package var isEmpty: Bool { cookies.isEmpty && logins.isEmpty }
}

/// A cookie given with a request.
package struct GivenCookie: Hashable, Codable, Sendable {
    package var name: String
    package var value: String
    /// The host it is sent to. A leading dot includes subdomains.
    package var domain: String
    package var path: String
    package var secure: Bool

    package init(name: String, value: String, domain: String, path: String, secure: Bool) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.secure = secure
    }
}

/// A user name and a password for a host, like an entry of a netrc file.
package struct GivenLogin: Hashable, Codable, Sendable {
    /// The host in canonical form, with brackets around an IPv6 address. Nil for every host that a redirect leads to.
    package var host: String?
    /// Nil for every port.
    package var port: Int?
    package var user: String
    package var password: String

    package init(host: String?, port: Int? = nil, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    package var credentials: Credentials { Credentials(user: user, password: password) }

    /// The login for an origin: the first one for its host, otherwise the first one for every host.
    ///
    /// - Parameter user: The user that the URL names, if it does.
    package static func first(of logins: [GivenLogin], for origin: Origin, user: String? = nil) -> GivenLogin? {
        func matches(_ login: GivenLogin) -> Bool {
            (login.port ?? origin.port) == origin.port && (user ?? login.user) == login.user
        }
        return logins.first { $0.host == origin.host && matches($0) }
            ?? logins.first { $0.host == nil && matches($0) }
    }

    /// Puts the host into canonical form.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`. The message has neither user nor password.
    package func admitted() throws(ServiceError) -> GivenLogin {
        var login = self
        if let host {
            guard let url = try? HTTPURL(parsing: "http://\(host)/"), url.credentials == nil, url.port == 80 else {
                throw ServiceError(.invalidRequest, "“\(host.escapingControls)” in a login is not a host name.")
            }
            login.host = url.host
        }
        guard (port ?? 1) > 0, (port ?? 1) < 65536, !user.containsControl, !password.containsControl else {
            throw ServiceError(
                .invalidRequest,
                "The login for \(login.host ?? "all hosts") has a control character or an invalid port.")
        }
        return login
    }
}

extension GivenLogin: CustomStringConvertible, CustomReflectable {
    /// Contains neither user name nor password, so that logs cannot reveal them.
    package var description: String { "(login for \(host ?? "all hosts"))" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoginOptions {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    init(from box: KeyedDecodingContainer<CodingKeys>) throws {
        self.init()
        try box.take(.cookies, into: &cookies)
        try box.take(.logins, into: &logins)
        try box.take(.preemptiveAuth, into: &isPreemptive)
        try box.take(.sessionCookies, into: &usesSessionCookies)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = LoginOptions()
        try box.put(cookies, .cookies, unless: usual.cookies)
        try box.put(logins, .logins, unless: usual.logins)
        try box.put(isPreemptive, .preemptiveAuth, unless: usual.isPreemptive)
        try box.put(usesSessionCookies, .sessionCookies, unless: usual.usesSessionCookies)
    }

    /// - Throws: ``ServiceError`` with code `invalid_request`.
    func admitted() throws(ServiceError) -> LoginOptions {
        guard !logins.isEmpty else { return self }
        guard logins.count <= Self.mostLogins else {
            throw ServiceError(.invalidRequest, "A request has at most \(Self.mostLogins) logins.")
        }
        var options = self
        options.logins = []
        for login in logins { options.logins.append(try login.admitted()) }
        return options
    }
}
