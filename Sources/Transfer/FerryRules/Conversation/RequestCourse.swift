package import FerryCore

/// The URL, method, fields and body of the next request, carried across redirects (docs/behaviour/transfers.md#X5).
package struct RequestCourse: Sendable {
    package private(set) var url: HTTPURL
    package private(set) var method: String
    /// The caller's fields.
    package private(set) var fields: [HeaderField]
    /// Whether the caller's body is sent.
    package private(set) var sendsBody: Bool
    package private(set) var chain: RedirectChain
    /// The origin for which the fields were given.
    private var home: Origin
    /// The userinfo of the caller's URL.
    private var own: Credentials?
    /// The origin of that URL.
    private var ownOrigin: Origin

    /// Starts at a URL of the caller's. Fields given for another origin are dropped.
    ///
    /// - Parameter cookies: Cookies of the first request.
    package init(from start: HTTPURL, _ terms: ConversationTerms, cookies: TransferCookies = TransferCookies()) {
        let origin = start.origin
        url = start.credentials == nil ? start : start.withoutUserinfo
        method = terms.method
        fields = origin == terms.home ? terms.fields : []
        sendsBody = terms.hasBody
        chain = RedirectChain(start: start, method: method, secrets: cookies.header(for: start))
        home = terms.home
        (own, ownOrigin) = (start.credentials, origin)
    }

    /// The caller's fields for the URL's origin.
    package func given(_ foreign: ForeignFields) -> [HeaderField] {
        fields.isEmpty
            ? fields : RequestFields.forOrigin(url.origin, fields: fields, givenFor: home, foreignFields: foreign)
    }

    /// The credentials for the URL's origin (docs/behaviour/transfers.md#X6).
    func credentials(_ terms: ConversationTerms) -> Credentials? {
        // A mirror gets only what names its host.
        credentials(terms, ownOrigin == terms.home ? terms.login.logins : terms.login.logins.filter { $0.host != nil })
    }

    /// The credentials that were given for this host by name. Only they may be sent without a challenge.
    func ownCredentials(_ terms: ConversationTerms) -> Credentials? {
        credentials(terms, terms.login.logins.filter { $0.host != nil })
    }

    private func credentials(_ terms: ConversationTerms, _ logins: [GivenLogin]) -> Credentials? {
        let origin = url.origin
        var given = origin == terms.home ? terms.credentials : nil
        if given == nil, origin == ownOrigin { given = own }
        if let given, given.password != nil { return given }
        return GivenLogin.first(of: logins, for: origin, user: given?.user)?.credentials ?? given
    }

    /// The origin for which the caller gave a password with the URL, or nil.
    func credentialsOrigin(_ terms: ConversationTerms) -> Origin? {
        if terms.credentials?.password != nil { return terms.home }
        return own?.password != nil ? ownOrigin : nil
    }

    // MARK: Redirects

    /// The request after a redirect.
    ///
    /// - Throws: ``ServiceError`` with code `redirect_refused` or `too_many_redirects`.
    func following(
        _ location: String, status: Int, _ terms: ConversationTerms, _ cookies: TransferCookies
    ) throws(ServiceError) -> RequestCourse {
        var next = self
        let steps = chain.count
        let redirect = try RedirectRule.next(
            from: url, to: location, status: status, method: method, policy: terms.redirects, chain: &next.chain,
            secrets: { terms.followsCircles ? String(steps) : cookies.header(for: $0) })
        next.url = redirect.url
        next.method = redirect.method
        // The target of a 303 is retrieved, whatever was sent before (RFC 9110 §15.4.4).
        if redirect.method != method || (sendsBody && status == 303) { next.dropBody() }
        if terms.foreignFields == .keep, redirect.url.origin != home {
            // Fields dropped at another origin stay dropped on the way back.
            (next.fields, next.home) = (next.given(.keep), redirect.url.origin)
        }
        return next
    }

    /// The client's own request instead of the proposed redirect.
    func replaced(by other: HTTPURL, method newMethod: String, fields newFields: [HeaderField]) -> RequestCourse {
        var next = self
        (next.url, next.method, next.fields) = (other.withoutUserinfo, newMethod, newFields)
        next.home = other.origin
        if let credentials = other.credentials { (next.own, next.ownOrigin) = (credentials, other.origin) }
        if newMethod != method, newMethod == "GET" || newMethod == "HEAD" { next.sendsBody = false }
        return next
    }

    /// The course after a response that counts as the response of another URL, as for uploads.
    package func answering(for other: HTTPURL) -> RequestCourse {
        var course = self
        course.url = other.withoutUserinfo
        course.chain = RedirectChain(start: course.url, method: method)
        return course
    }

    /// Fields that describe a body.
    private static let aboutBody: Set<String> = [
        "content-length", "content-type", "content-encoding", "content-language", "content-location",
    ]

    private mutating func dropBody() {
        sendsBody = false
        fields.removeAll(where: Self.isAboutBody)
    }

    /// Whether a field describes the body and is dropped with it.
    package static func isAboutBody(_ field: HeaderField) -> Bool { aboutBody.contains(field.name.lowercased()) }
}
