extension TransferRequest {
    /// Replaces the URL with another one of the same file.
    ///
    /// Header fields, cookies and a client certificate belong to the origin for which they were given. At another
    /// origin only those fields stay that a redirect would keep (``RequestFields/forOrigin(_:fields:givenFor:foreignFields:)``).
    ///
    /// - Returns: The names of what was removed: header fields, `cookies` and `client certificate`.
    package mutating func replaceURL(with text: String) -> [String] {
        let former = try? HTTPURL(parsing: url).origin
        url = text
        let origin = try? HTTPURL(parsing: text).origin
        guard let former, let origin else { return forgetGivenSecrets() }
        guard former != origin else { return [] }
        let kept = RequestFields.forOrigin(
            origin, fields: headers, givenFor: former, foreignFields: transport.foreignFields)
        var removed = headers.filter { !kept.contains($0) }.map(\.name)
        headers = kept
        if !cookies.isEmpty { removed.append("cookies") }
        cookies = []
        if let trust = tls.trust, trust != trust.foreign {
            removed.append("client certificate")
            tls.trust = trust.foreign
        }
        return removed
    }

    /// Removes all that may be a secret, if an origin is unknown.
    private mutating func forgetGivenSecrets() -> [String] {
        let removed = headers.map(\.name)
        (headers, cookies, tls.trust) = ([], [], tls.trust?.foreign)
        return removed
    }
}

/// Notes about a transfer that the service writes for its user.
package enum TransferNotes {
    /// A note that parts of a request were not taken along to the origin of a new URL.
    package static func removed(_ names: [String]) -> String {
        newServer + names.map(\.escapingControls).joined(separator: ", ")
    }

    /// Whether a note says that parts of a request were removed.
    package static func isAboutRemovedParts(_ note: String) -> Bool { note.hasPrefix(newServer) }

    private static let newServer = "not sent to the new URL's server: "
}
