/// The request that follows a redirect.
package struct Redirect: Hashable, Sendable {
    package let url: HTTPURL
    package let method: String
    /// Whether scheme, host or port are others: then credentials and the caller's fields stay behind.
    package let changesOrigin: Bool
}

/// What the user allows a redirect to do.
package struct RedirectPolicy: Hashable, Codable, Sendable {
    /// Whether https may lead to http.
    package var allowDowngrade: Bool
    /// Whether a public host may lead to this machine or to a private address.
    package var allowPrivateRedirects: Bool

    package init(allowDowngrade: Bool = false, allowPrivateRedirects: Bool = false) {
        self.allowDowngrade = allowDowngrade
        self.allowPrivateRedirects = allowPrivateRedirects
    }
}
