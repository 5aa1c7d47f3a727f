/// A request as it may be shown to any client: without secrets, the body and the note of its own client.
package struct ShownRequest: Hashable, Sendable {
    package let request: TransferRequest
    /// The names of what is left out: header fields, and `cookies`, `login`, `proxy login`, `body` or `note`.
    package let withheld: [String]

    /// - Parameter hasCredentials: Whether its URL was given with a user and a password.
    package init(_ request: TransferRequest, hasCredentials: Bool = false) {
        var (shown, withheld) = (request, request.headers.filter(SecretParts.isSecret).map(\.name))
        if !request.cookies.isEmpty { withheld.append(TransferRequest.removedCookies) }
        if hasCredentials || !request.login.logins.isEmpty { withheld.append(TransferRequest.removedLogin) }
        shown.forgetSecrets()
        if shown.transport.proxyEnvironment != request.transport.proxyEnvironment { withheld.append("proxy login") }
        // Forms have passwords, and the notes of apps their requests.
        if case .bytes? = request.body {
            withheld.append("body")
            shown.body = nil
        }
        if request.note != nil {
            withheld.append("note")
            shown.note = nil
        }
        shown.secretsForgotten = request.secretsForgotten
        (self.request, self.withheld) = (shown, withheld)
    }
}

/// The keys of the request, and `withheld`.
extension ShownRequest: Codable {
    private enum CodingKeys: CodingKey {
        case withheld
    }

    package init(from decoder: any Decoder) throws {
        request = try TransferRequest(from: decoder)
        withheld = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .withheld)
    }

    package func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder)
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(withheld, forKey: .withheld)
    }
}
