/// Decides whether a redirect is followed, and with which method (RFC 9110 §15.4).
package enum RedirectRule {
    /// The request that follows a 3xx response, added to the chain.
    ///
    /// - Parameters:
    ///   - secrets: the credentials and cookies that would go with a request for a URL; a URL seen before is asked again only
    ///     if they differ.
    /// - Throws: ``TransferError`` with code `redirect_refused` for a target, scheme or status that is not followed, or
    ///   `too_many_redirects`.
    package static func next(
        from url: HTTPURL, to location: String?, status: Int, method: String, policy: RedirectPolicy,
        chain: inout RedirectChain, secrets: (HTTPURL) -> String? = { _ in nil }
    ) throws(TransferError) -> Redirect {
        guard [301, 302, 303, 307, 308].contains(status) else {
            throw refusal("The server answered \(status), which is no redirect that can be followed.", to: url)
        }
        guard let location else {
            throw refusal("The server answered \(status) without saying where to go.", to: url)
        }
        let target: HTTPURL
        do throws(TransferError) {
            target = try url.resolving(location: location)
        } catch {
            throw TransferError(
                .redirectRefused, "The server redirects to a URL that is not followed. \(error.message)",
                details: ErrorDetails(
                    urlError: error.code == .unsupportedScheme ? -1002 : -1010, url: error.details.url))
        }
        if url.isSecure, !target.isSecure, !policy.allowDowngrade {
            throw refusal(
                "The server redirects from https to http, “\(target.redacted)”, where anybody on the way can change the file.",
                to: target, urlError: -1022)
        }
        if target.isPrivateLiteral, !url.isPrivateLiteral, !policy.allowPrivateRedirects {
            throw refusal(
                "The public host “\(url.host)” redirects to the private address “\(target.redacted)”.", to: target)
        }
        if target.isLinkLocalLiteral, !url.isLinkLocalLiteral, !policy.allowPrivateRedirects {
            throw refusal(
                "The host “\(url.host)” redirects to the link-local address “\(target.redacted)”, where machines keep secrets.",
                to: target)
        }
        let redirect = Redirect(
            url: target, method: self.method(after: status, of: method), changesOrigin: target.origin != url.origin)
        try chain.follow(redirect, secrets: secrets(target))
        return redirect
    }

    /// 303 asks for GET, 301 and 302 turn POST into GET as all clients do, 307 and 308 keep the method.
    package static func method(after status: Int, of method: String) -> String {
        switch (status, method) {
        case (303, "HEAD"): "HEAD"
        case (303, _), (301, "POST"), (302, "POST"): "GET"
        default: method
        }
    }

    private static func refusal(_ message: String, to url: HTTPURL, urlError: Int = -1010) -> TransferError {
        TransferError(.redirectRefused, message, details: ErrorDetails(urlError: urlError, url: url.redacted))
    }
}
