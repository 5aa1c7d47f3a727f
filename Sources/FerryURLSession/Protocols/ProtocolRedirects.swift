import FerryCore
import Foundation
import FoundationNetworking

/// The redirects of one task that its protocol classes have told of, and the rules for the next ones.
///
/// A class may pass on what a server said, so the rules for servers hold (docs/behaviour/url-session.md#11, #12): no more than
/// 20 redirects, and what no class loads must be an HTTP URL that does not come from an HTTPS one.
struct ProtocolRedirects: Equatable, Sendable {
    private var count = 0
    private var last: URL?
    private var next: URL?

    /// Returns the redirects with one more.
    func adding(_ next: URL?, after last: URL?) -> Self {
        var redirects = self
        redirects.count += 1
        (redirects.last, redirects.next) = (last, next)
        return redirects
    }

    /// The error of one redirect too many.
    var error: URLError? {
        count > RedirectChain.limit ? URLError.failing(.httpTooManyRedirects, next) : nil
    }

    /// The error of a redirect that leads to a URL which no protocol class loads, and the session must not.
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
    /// Returns the request of a redirect without the fields that stay behind where it leads to another origin than one of
    /// these URLs (docs/behaviour/url-session.md#13).
    func redirected(from urls: [URL?]) -> URLRequest {
        guard urls.contains(where: { $0?.originParts != url?.originParts }) else { return self }
        var request = self
        for name in RequestFieldMapping.ofOrigin { request.setValue(nil, forHTTPHeaderField: name) }
        request.hasLeftOrigin = true
        return request
    }
}

extension URL {
    /// Scheme, host and port (RFC 6454 §4), of a custom scheme too.
    fileprivate var originParts: [String] {
        let scheme = scheme?.lowercased() ?? ""
        let usual = ["http": 80, "https": 443][scheme]
        return [scheme, host?.lowercased() ?? "", (port ?? usual).map { "\($0)" } ?? ""]
    }
}
