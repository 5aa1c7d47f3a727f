import FerryCore
import FerryRules
import Foundation
import FoundationNetworking

/// Reads and stores cookies in the configuration's storage, as the configuration allows
/// (docs/behaviour/url-session.md#23).
struct CookieJar: Sendable {
    private let storage: HTTPCookieStorage?
    private let mainDocument: URL?
    private let policy: HTTPCookie.AcceptPolicy

    init(_ configuration: URLSessionConfiguration, request: URLRequest) {
        // A Cookie field of the request takes precedence. A request that does not handle cookies sends none.
        let isOff =
            !configuration.httpShouldSetCookies || !request.httpShouldHandleCookies
            || request.value(forHTTPHeaderField: "Cookie") != nil
        storage = isOff ? nil : configuration.httpCookieStorage
        mainDocument = request.mainDocumentURL
        policy = configuration.httpCookieAcceptPolicy
    }

    /// Whether cookies of responses are stored.
    var isOpen: Bool { storage != nil && policy != .never }

    /// Returns the cookies for a request.
    func cookies(for url: URL) -> [HTTPCookie] {
        // The storage filters by host only.
        (storage?.cookies(for: url) ?? []).filter { $0.goes(to: url, at: Date()) }
    }

    func field(for address: String) -> String? {
        guard let url = URL(string: address) else { return nil }
        let cookies = cookies(for: url)
        guard !cookies.isEmpty else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    func store(_ fields: [String], from address: String) {
        guard isOpen, let storage, let url = URL(string: address) else { return }
        for field in fields {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
            let accepted = cookies.filter { $0.belongs(to: url) }
            storage.setCookies(accepted, for: url, mainDocumentURL: mainDocument)
        }
    }
}

extension HTTPCookie {
    /// Whether to send the cookie with a request: only over TLS if it is secure, within its path, and before it expires
    /// (RFC 6265 §5.4).
    func goes(to url: URL, at now: Date) -> Bool {
        if isSecure, url.scheme?.lowercased() != "https" { return false }
        if let expiresDate, expiresDate <= now { return false }
        // Foundation's path is empty if its bytes are not UTF-8.
        let read = url.path.isEmpty ? url.path(percentEncoded: true) : url.path
        let asked = read.isEmpty ? "/" : read
        guard !path.isEmpty, path != "/", asked != path else { return true }
        return asked.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }

    /// Whether a response from this URL may set the cookie: for its own host, or for a parent domain that is no public
    /// suffix (RFC 6265 §5.3).
    func belongs(to url: URL, _ suffixes: PublicSuffixes = .system) -> Bool {
        guard let host = url.host?.lowercased() else { return false }
        let domain = domain.lowercased()
        if domain == host { return true }
        guard domain.hasPrefix("."), let scope = CookieScope(domain: domain, from: host, suffixes) else { return false }
        // Without a list, only the host's own domain is known to be no public suffix.
        return scope.includesSubdomains || domain.dropFirst() == host && suffixes.contains(host) == nil
    }
}
