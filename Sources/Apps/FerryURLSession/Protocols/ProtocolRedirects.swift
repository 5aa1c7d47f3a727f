import FerryCore
import Foundation
import FoundationNetworking

/// The redirects of one task that its protocol classes have reported, and the rules for further ones.
///
/// A class may pass on a server's redirect, so the rules for servers apply (docs/behaviour/url-session.md#11, #12): at
/// most 20 redirects, and a URL that no class loads must use HTTP or HTTPS, without a change from HTTPS to HTTP.
struct ProtocolRedirects: Equatable, Sendable {
    private var count = 0
    private var last: URL?
    private var next: URL?

    /// Returns these redirects with another one added.
    func adding(_ next: URL?, after last: URL?) -> Self {
        var redirects = self
        redirects.count += 1
        (redirects.last, redirects.next) = (last, next)
        return redirects
    }

    /// The error if there are too many redirects.
    var error: URLError? {
        count > RedirectPolicy.limit ? URLError.failing(.httpTooManyRedirects, next) : nil
    }

    /// The error if no protocol class loads the redirect's target and the session must not load it either.
    var errorWithoutClass: URLError? {
        guard count > 0 else { return nil }
        switch (last?.scheme?.lowercased(), next?.scheme?.lowercased()) {
        case ("https", "http"): return URLError.failing(.appTransportSecurityRequiresSecureConnection, next)
        case (_, "http"), (_, "https"): return nil
        default: return URLError.failing(.unsupportedURL, next)
        }
    }
}

extension URLRequest {
    /// Returns the request of a redirect. Removes the fields reserved for the origin if the origin differs from that of
    /// any of these URLs (docs/behaviour/url-session.md#13).
    func redirected(from urls: [URL?]) -> URLRequest {
        guard urls.contains(where: { $0?.originParts != url?.originParts }) else { return self }
        var request = self
        for name in RequestFieldMapping.ofOrigin { request.setValue(nil, forHTTPHeaderField: name) }
        request.hasLeftOrigin = true
        return request
    }
}

extension URL {
    /// Scheme, host and port (RFC 6454 §4). Also applied to custom schemes.
    fileprivate var originParts: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let usual = ["http": 80, "https": 443][scheme]
        return [scheme, host?.lowercased() ?? "", (port ?? usual).map { "\($0)" } ?? ""]
    }
}
