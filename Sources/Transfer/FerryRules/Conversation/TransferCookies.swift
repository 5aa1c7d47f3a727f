package import FerryCore
package import FerryFoundation

/// The cookies of one transfer, in memory only. Sign-on pages set one and redirect to the file.
///
/// A cookie with a `Domain` is sent to all hosts of that domain, unless it is a public suffix. Without a list of public
/// suffixes, a cookie is sent only to the exact host that set it.
package struct TransferCookies: Hashable, Codable, Sendable {
    /// Maximum number of cookies. The oldest is dropped first.
    package static let maximumCount = 50
    /// Maximum size of a cookie's name and value, in bytes.
    package static let maximumSize = 4096
    /// Maximum size of a `Cookie` field in bytes. Servers refuse requests with longer ones.
    package static let maximumFieldSize = 8192

    private struct Cookie: Hashable, Codable {
        let name: String
        let value: String
        /// The host that set it, or the domain.
        let host: String
        /// Whether it is also sent to the hosts below. Nil, as in earlier journals, means false.
        let includesSubdomains: Bool?
        let path: String
        let secure: Bool
        /// Expiry date. Nil for a cookie that lasts as long as the transfer.
        let expires: Date?

        func replaces(_ other: Cookie) -> Bool {
            name == other.name && host == other.host && path == other.path
                && (includesSubdomains ?? false) == (other.includesSubdomains ?? false)
        }

        func goes(to other: String) -> Bool {
            other == host || includesSubdomains == true && other.hasSuffix("." + host)
        }
    }

    private var cookies: [Cookie] = []

    package init() {}

    package var count: Int { cookies.count }

    /// Stores one `Set-Cookie` field (RFC 6265 §5.2 and §5.3).
    ///
    /// Ignores a cookie that is too large, has a control character, is `Secure` over plain HTTP, or is for a domain that
    /// is a public suffix or does not include the host. Removes an expired cookie. A cookie without a lifetime lasts as
    /// long as the transfer.
    package mutating func store(
        setCookie field: String, from url: HTTPURL, now: Date, suffixes: PublicSuffixes = .none
    ) {
        guard field.utf8.count <= 4 * Self.maximumSize, !field.containsControl else { return }
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(Substring($0)).trimmingFieldSpace }
        guard let (name, value) = Self.pair(parts[0]), !name.isEmpty,
            name.utf8.count + value.utf8.count <= Self.maximumSize
        else { return }
        var secure = false
        var path = Self.defaultPath(of: url)
        var maxAge: String?
        var expires: String?
        var domain = ""
        for part in parts.dropFirst() {
            let (key, argument) = Self.pair(part) ?? (part, "")
            switch key.lowercased() {
            case "secure": secure = true
            case "path": path = argument.hasPrefix("/") ? argument : Self.defaultPath(of: url)
            case "domain": domain = argument
            case "max-age": maxAge = argument
            case "expires": expires = argument
            default: break
            }
        }
        guard let scope = CookieScope(domain: domain, from: url.host, suffixes) else { return }
        let cookie = Cookie(
            name: name, value: value, host: scope.host, includesSubdomains: scope.includesSubdomains ? true : nil,
            path: path, secure: secure,
            expires: Self.expiry(maxAge: maxAge, expires: expires, now: now))
        guard url.isSecure || !(secure || cookies.contains { $0.secure && $0.name == name && $0.goes(to: url.host) })
        else {
            return  // A plain response must not plant or replace a secure cookie.
        }
        cookies.removeAll { cookie.replaces($0) }
        guard cookie.expires.map({ $0 > now }) ?? true else { return }
        cookies.append(cookie)
        if cookies.count > Self.maximumCount { cookies.removeFirst() }
    }

    /// The `Cookie` value for a URL, or nil without matching cookies.
    ///
    /// - Parameter now: Excludes cookies that have expired by this date. Nil excludes none.
    package func header(for url: HTTPURL, now: Date? = nil) -> String? {
        var value = ""
        for cookie in cookies where cookie.goes(to: url.host) && (url.isSecure || !cookie.secure) {
            guard Self.covers(cookie.path, url.path) else { continue }
            if let now, let end = cookie.expires, end <= now { continue }
            let pair = "\(cookie.name)=\(cookie.value)"
            guard value.utf8.count + pair.utf8.count + 2 <= Self.maximumFieldSize else { break }
            value += value.isEmpty ? pair : "; " + pair
        }
        return value.isEmpty ? nil : value
    }

    // MARK: Parts of a cookie

    private static func pair(_ text: String) -> (String, String)? {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (
            String(text[..<equals]).trimmingFieldSpace,
            String(Substring(text.utf8[equals...].dropFirst())).trimmingFieldSpace
        )
    }

    /// The default path of a cookie (RFC 6265 §5.1.4).
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != url.path.startIndex else {
            return "/"
        }
        return String(url.path[..<slash])
    }

    private static func covers(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// The expiry: Max-Age if it is a number, otherwise Expires (RFC 6265 §5.3).
    private static func expiry(maxAge: String?, expires: String?, now: Date) -> Date? {
        if let maxAge, maxAge.hasPrefix("-") || maxAge.utf8.first?.isASCIIDigit == true {
            // A negative number has expired. If it is not a number, or too large for one, the cookie does not expire.
            if maxAge.hasPrefix("-") { return .distantPast }
            guard let seconds = Int64(maxAge) else { return nil }
            return seconds == 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 400 * 86_400)))
        }
        guard let expires else { return nil }
        // Netscape's date form has hyphens instead of spaces.
        let spaced = String(expires.map { $0 == "-" ? " " : $0 })
        return HTTPDate.parse(expires) ?? HTTPDate.parse(spaced)
    }
}
