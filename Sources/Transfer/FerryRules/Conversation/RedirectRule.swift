package import FerryCore

/// Decides whether a redirect is followed, and with which method (RFC 9110 §15.4).
package enum RedirectRule {
    /// Appends the request that follows a 3xx response to the chain.
    ///
    /// - Parameters:
    ///   - secrets: Returns the credentials and cookies sent to a URL. A URL already in the chain is requested again
    ///     only if they differ.
    /// - Throws: ``ServiceError`` with code `redirect_refused` for an unsupported target, scheme or status, or
    ///   `too_many_redirects`.
    package static func next(
        from url: HTTPURL, to location: String?, status: Int, method: String, policy: RedirectPolicy,
        chain: inout RedirectChain, secrets: (HTTPURL) -> String? = { _ in nil }
    ) throws(ServiceError) -> Redirect {
        guard [301, 302, 303, 307, 308].contains(status) else {
            throw refusal("The server responded with \(status), which is not a redirect that can be followed.", to: url)
        }
        guard let location else {
            throw refusal("The server responded with \(status) without a Location.", to: url)
        }
        let target: HTTPURL
        do throws(ServiceError) {
            target = try url.resolving(location: location)
        } catch {
            throw ServiceError(
                .redirectRefused, "The server redirects to a URL that cannot be followed. \(error.message)",
                details: ErrorDetails(
                    urlError: error.code == .unsupportedScheme ? -1002 : -1010, url: error.details.url))
        }
        try check(target, from: url, policy)
        let redirect = Redirect(
            url: target, method: self.method(after: status, of: method), changesOrigin: target.origin != url.origin)
        try chain.follow(redirect, most: policy.most, secrets: secrets(target))
        return redirect
    }

    /// Checks a URL given by a server, as a redirect target or an upload resource.
    ///
    /// - Throws: ``ServiceError`` with code `redirect_refused` for plain HTTP after TLS, and for private addresses.
    package static func check(
        _ target: HTTPURL, from url: HTTPURL, _ policy: RedirectPolicy
    ) throws(ServiceError) {
        if url.isSecure, !target.isSecure, !policy.allowDowngrade {
            throw refusal(
                "The server redirects from https to http, “\(target.redacted)”, where any machine on the network path could change the file; --allow-downgrade permits it.",
                to: target, urlError: -1022)
        }
        if target.isPrivateLiteral, !url.isPrivateLiteral, !policy.allowPrivateRedirects {
            throw refusal(
                "The public host “\(url.host)” redirects to the private address “\(target.redacted)”; --allow-private-redirects permits it.",
                to: target)
        }
        if target.isLinkLocalLiteral, !url.isLinkLocalLiteral, !policy.allowPrivateRedirects {
            throw refusal(
                "The host “\(url.host)” redirects to the link-local address “\(target.redacted)”, which may expose secrets; --allow-private-redirects permits it.",
                to: target)
        }
    }

    /// The method after a redirect: GET after 303, GET instead of POST after 301 and 302, unchanged after 307 and 308.
    package static func method(after status: Int, of method: String) -> String {
        switch (status, method) {
        case (303, "HEAD"): "HEAD"
        case (303, _), (301, "POST"), (302, "POST"): "GET"
        default: method
        }
    }

    private static func refusal(_ message: String, to url: HTTPURL, urlError: Int = -1010) -> ServiceError {
        ServiceError(.redirectRefused, message, details: ErrorDetails(urlError: urlError, url: url.redacted))
    }
}

/// A redirected request.
package struct Redirect: Hashable, Sendable {
    package let url: HTTPURL
    package let method: String
    /// Whether scheme, host or port changes. Credentials and the caller's fields are then dropped.
    package let changesOrigin: Bool
}

/// The URLs requested by one attempt, in order.
package struct RedirectChain: Sendable {
    /// Maximum number of times one attempt makes the same request: a second response may differ.
    package static let looks = 3

    /// The parts of a request that make two requests the same.
    private struct Visit: Hashable {
        let method: String
        let url: HTTPURL
        let secrets: String?

        init(_ url: HTTPURL, method: String, secrets: String?) {
            self.url = url.withoutUserinfo.withoutFragment
            (self.method, self.secrets) = (method, secrets)
        }
    }

    package private(set) var urls: [HTTPURL]
    private let first: (method: String, secrets: String?)
    /// Number of times each request was made. Empty until the first redirect.
    private var visits: [Visit: Int] = [:]

    /// Starts the chain of an attempt.
    ///
    /// - Parameter secrets: The credentials and cookies of the request, in any form that differs when they do.
    package init(start url: HTTPURL, method: String, secrets: String? = nil) {
        urls = [url]
        first = (method, secrets)
    }

    /// Number of redirects followed.
    package var count: Int { urls.count - 1 }

    /// The chain without secrets, for records and logs.
    package var redacted: [String] { urls.map(\.redacted) }

    /// Appends a redirect.
    ///
    /// - Throws: ``ServiceError`` with code `too_many_redirects` beyond the limit, or for a request made ``looks``
    ///   times with the same secrets. The chain is then unchanged.
    package mutating func follow(
        _ redirect: Redirect, most: Int = RedirectPolicy.limit, secrets: String? = nil
    ) throws(ServiceError) {
        let details = ErrorDetails(url: redirect.url.redacted)
        guard count < most else {
            throw ServiceError(.tooManyRedirects, Self.refusal(most), details: details)
        }
        let visit = Visit(redirect.url, method: redirect.method, secrets: secrets)
        if visits.isEmpty { visits[Visit(urls[0], method: first.method, secrets: first.secrets)] = 1 }
        guard visits[visit, default: 0] < Self.looks else {
            throw ServiceError(
                .tooManyRedirects, "The server redirects in a loop, back to “\(redirect.url.redacted)”.",
                details: details)
        }
        visits[visit, default: 0] += 1
        urls.append(redirect.url)
    }

    private static func refusal(_ most: Int) -> String {
        switch most {
        case 0: "The server redirects, and redirects are disabled; --max-redirs permits them."
        case 1: "The server redirected more than once; --max-redirs permits more."
        default: "The server redirected more than \(most) times; --max-redirs permits more."
        }
    }
}
