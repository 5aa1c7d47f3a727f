/// The redirects that the user allows.
package struct RedirectPolicy: Hashable, Codable, Sendable {
    /// Whether https may lead to http.
    package var allowDowngrade: Bool
    /// Whether a public host may lead to this machine or to a private address.
    package var allowPrivateRedirects: Bool

    /// Default maximum number of redirects per attempt.
    package static let limit = 20

    /// Maximum number of redirects per attempt.
    package var most: Int

    package init(
        allowDowngrade: Bool = false, allowPrivateRedirects: Bool = false, most: Int = limit
    ) {
        self.allowDowngrade = allowDowngrade
        self.allowPrivateRedirects = allowPrivateRedirects
        self.most = most
    }
}
