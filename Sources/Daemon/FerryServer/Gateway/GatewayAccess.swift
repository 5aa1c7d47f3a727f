import FerryAPI
import FerryCore
import HTTPTypes
import NIOCore

/// Decides from a request's head whether it is allowed, before its body is read. A web page cannot choose the checked
/// fields.
struct GatewayAccess: Sendable {
    /// The decision about a request.
    enum Verdict: Equatable {
        /// The request is allowed. The origin is that of an allowed page, which may read the response.
        case allowed(origin: String?)
        /// The request is refused with 403 and a sentence. No field allows a page to read the response.
        case refused(String)
    }

    private let port: Int
    private let hosts: Set<String>
    /// The names that the user has allowed. A reverse proxy may serve them on any port.
    private let names: Set<String>
    private let origins: Set<String>
    private let allowsEveryOrigin: Bool
    /// Whether the gateway listens on all addresses of the machine. Then `Host` may be any IP address. In a DNS
    /// rebinding attack it is a name.
    private let takesEveryAddress: Bool

    init(_ settings: GatewaySettings) {
        port = settings.port
        names = Set(settings.names.map { Self.bare($0.lowercased()) })
        hosts = Set((["localhost"] + settings.addresses).map { Self.bare($0.lowercased()) }).union(names)
        takesEveryAddress = settings.addresses.contains { $0 == "0.0.0.0" || $0 == "::" }
        let scheme = settings.certificate == nil ? "http" : "https"
        let own = hosts.map { Self.origin(scheme, $0, settings.port) }
        // The usual addresses of a reverse proxy.
        let proxied = names.flatMap { [Self.origin("http", $0, 80), Self.origin("https", $0, 443)] }
        origins = Set(own + proxied + settings.origins.map { $0.lowercased() })
        allowsEveryOrigin = settings.origins.contains("*")
    }

    /// Returns an origin as browsers write it (RFC 6454 §6.2): without the default port.
    private static func origin(_ scheme: String, _ host: String, _ port: Int) -> String {
        let bracketed = host.contains(":") ? "[\(host)]" : host
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(bracketed)" + (isUsual ? "" : ":\(port)")
    }

    /// Whether an origin is that of the page at an allowed name, where a reverse proxy serves it on a port of its own
    /// and passes the field `Host` on.
    private func isNamed(_ origin: String, host: String) -> Bool {
        names.contains(Self.split(host).host) && ["http://\(host)", "https://\(host)"].contains(origin)
    }

    /// - Parameters:
    ///   - host: The field `Host` (RFC 9110 §7.2).
    ///   - origin: The field `Origin` (RFC 6454 §7).
    ///   - site: The field `Sec-Fetch-Site`. In it a browser reports the requesting page's relation to the target, also
    ///     without `Origin`.
    func judge(host: String?, origin: String?, site: String? = nil) -> Verdict {
        guard let host, isOwn(host.lowercased()) else {
            let given = host.map { "“\($0.prefix(64).description.escapingControls)”" } ?? "missing"
            let name = host.map { Self.split($0.lowercased()).host } ?? ""
            let advice =
                name.isEmpty
                ? "" : "; `ferry gateway allow --host \(name.prefix(253).description.escapingControls)` allows it"
            return .refused("The field Host is \(given), which is not a name of this gateway\(advice).")
        }
        guard let origin else {
            // A script, picture or form of a page. It names no origin and must not have an effect.
            guard site == nil || site == "none" || site == "same-origin" || allowsEveryOrigin else {
                return .refused("A page of another site made this request.")
            }
            return .allowed(origin: nil)
        }
        let asked = origin.lowercased()
        guard allowsEveryOrigin || origins.contains(asked) || isNamed(asked, host: host.lowercased()) else {
            let shown = origin.prefix(128).description.escapingControls
            return .refused(
                "The origin “\(shown)” may not use this gateway; `ferry gateway allow \(shown)` allows it.")
        }
        return .allowed(origin: origin)
    }

    /// Whether scripts of other pages may read the response: with an allowed origin, or if all origins are allowed.
    func allowsScript(origin: String?) -> Bool { origin != nil || allowsEveryOrigin }

    private func isOwn(_ authority: String) -> Bool {
        let (host, port) = Self.split(authority)
        // A reverse proxy passes its own port on.
        if names.contains(host) { return port.map { Int($0) != nil } ?? true }
        guard port == nil || port == String(self.port) else { return false }
        return hosts.contains(host)
            || takesEveryAddress && (try? SocketAddress(ipAddress: host, port: self.port)) != nil
    }

    /// Splits an authority into the host without brackets, and the port.
    private static func split(_ authority: String) -> (host: String, port: String?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return ("", nil) }
            return (String(host), rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return ("", nil) }
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    private static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    // MARK: Response fields for pages

    /// Returns the fields with which a browser allows a page to read the response (Fetch §3.2).
    static func fields(for origin: String) -> HTTPFields {
        [.accessControlAllowOrigin: origin, .vary: "Origin"]
    }

    /// Returns the fields of the response to a preflight request of an allowed page.
    static func preflight(for origin: String, requested fields: HTTPFields) -> HTTPFields {
        var answer = Self.fields(for: origin)
        answer[.accessControlAllowMethods] = "POST, GET, OPTIONS, PATCH, DELETE, PUT"
        answer[.accessControlAllowHeaders] = fields[.accessControlRequestHeaders]
        answer[.accessControlMaxAge] = "1728000"
        if fields[.requestPrivateNetwork] != nil { answer[.allowPrivateNetwork] = "true" }
        return answer
    }
}

extension HTTPField.Name {
    static let requestPrivateNetwork = Self("Access-Control-Request-Private-Network")!  // SAFETY: a token of HTTP
    static let allowPrivateNetwork = Self("Access-Control-Allow-Private-Network")!  // SAFETY: as above
    static let secFetchSite = Self("Sec-Fetch-Site")!  // SAFETY: as above
    static let secFetchMode = Self("Sec-Fetch-Mode")!  // SAFETY: as above
}
