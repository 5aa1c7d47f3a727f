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
