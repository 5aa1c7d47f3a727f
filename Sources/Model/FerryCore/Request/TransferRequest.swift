/// A client's request for one file.
///
/// Validated and completed by `TransferAdmission` before it is stored.
package struct TransferRequest: Hashable, Sendable {
    package var url: String
    /// Other URLs of the same file. `headers` and credentials are not sent there.
    package var mirrors: [String] = []
    package var method = "GET"
    package var headers: [HeaderField] = []
    package var login = LoginOptions()
    /// The request body. A download with a body is never resumed.
    package var body: RequestBody?
    package var session: SessionID = .cli
    package var note: ClientNote?
    package var tags: [String] = []
    package var file: RequestedFile
    package var response = ResponseOptions()
    package var timing = TimingOptions()
    package var transport = TransportOptions()
    package var tls = TLSOptions()
    /// Whether it has finished and its secrets were removed. Not set by clients.
    package var secretsForgotten = false

    package init(url: String, folder: String) {
        self.url = url
        file = RequestedFile(folder: folder)
    }

    /// Whether URL, header fields, cookies or credentials differ.
    package func hasOtherAddress(than other: TransferRequest) -> Bool {
        url != other.url || headers != other.headers || login != other.login
    }
}

extension TransferRequest {
    package var cookies: [GivenCookie] {
        get { login.cookies }
        set { login.cookies = newValue }
    }
}

/// The direction of a transfer's file.
package enum TransferDirection: String, Codable, CaseIterable, Sendable {
    case download, upload
}

extension TransferRequest {
    /// An upload's file is its body. Its response is stored as the result.
    package var direction: TransferDirection { if case .file = body { .upload } else { .download } }
}

extension TransferRequest {
    /// The names of removed cookies and credentials (``replaceURL(with:)``).
    package static let removedCookies = "cookies"
    package static let removedLogin = "login"

    /// Replaces the URL with another one of the same file.
    ///
    /// Header fields, cookies, credentials for all hosts and a client certificate belong to the origin for which they
    /// were given. At another origin only those fields stay that a redirect would keep
    /// (``RequestFields/forOrigin(_:fields:givenFor:foreignFields:)``), and credentials for hosts by name.
    ///
    /// - Returns: The names of what was removed: header fields, `cookies`, `login` and `client certificate`.
    package mutating func replaceURL(with text: String) -> [String] {
        let former = try? HTTPURL(parsing: url).origin
        url = text
        let origin = try? HTTPURL(parsing: text).origin
        // `TransferAdmission` refuses a URL without an origin.
        guard let former, let origin, former != origin else { return [] }
        let kept = RequestFields.forOrigin(
            origin, fields: headers, givenFor: former, foreignFields: transport.foreignFields)
        var removed = headers.filter { !kept.contains($0) }.map(\.name)
        headers = kept
        if !cookies.isEmpty { removed.append(Self.removedCookies) }
        cookies = []
        if login.logins.contains(where: { $0.host == nil }) { removed.append(Self.removedLogin) }
        login.logins.removeAll { $0.host == nil }
        if let trust = tls.trust, trust != trust.foreign {
            removed.append("client certificate")
            tls.trust = trust.foreign
        }
        return removed
    }
}
