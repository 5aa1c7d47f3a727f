package import FerryFoundation

/// The cookies of one transfer, in memory only: sign-on pages set one and redirect to the file.
///
/// A cookie goes to exactly the host that set it, whatever `Domain` says, so no list of public suffixes is needed.
package struct TransferCookies: Hashable, Codable, Sendable {
    /// The most cookies that are kept; the oldest leaves first.
    package static let maximumCount = 50
    /// The most bytes of a cookie's name and value.
    package static let maximumSize = 4096
    /// The most bytes of a `Cookie` field, since servers refuse requests with longer ones.
    package static let maximumFieldSize = 8192

    private struct Cookie: Hashable, Codable {
        let name: String
        let value: String
        let host: String
        let path: String
        let secure: Bool
        /// When its lifetime ends; nil: the cookie lasts as long as the transfer.
        let expires: Date?

        func replaces(_ other: Cookie) -> Bool { name == other.name && host == other.host && path == other.path }
    }

    private var cookies: [Cookie] = []

    package init() {}

    package var count: Int { cookies.count }

    /// Takes in one `Set-Cookie` field of a response from a URL (RFC 6265 §5.2, without Domain).
    ///
    /// Ignores a cookie that is too large, has a control character, or is `Secure` over plain HTTP. A cookie whose
    /// lifetime has ended is removed; a cookie without a lifetime lasts as long as the transfer.
    package mutating func store(setCookie field: String, from url: HTTPURL, now: Date) {
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
        for part in parts.dropFirst() {
            let (key, argument) = Self.pair(part) ?? (part, "")
            switch key.lowercased() {
            case "secure": secure = true
            case "path": path = argument.hasPrefix("/") ? argument : Self.defaultPath(of: url)
            case "max-age": maxAge = argument
            case "expires": expires = argument
            default: break
            }
        }
        let cookie = Cookie(
            name: name, value: value, host: url.host, path: path, secure: secure,
            expires: Self.expiry(maxAge: maxAge, expires: expires, now: now))
        guard url.isSecure || !(secure || cookies.contains { $0.secure && $0.name == name && $0.host == url.host })
        else {
            return  // A plain response must not plant or replace a secure cookie.
        }
        cookies.removeAll { cookie.replaces($0) }
        guard cookie.expires.map({ $0 > now }) ?? true else { return }
        cookies.append(cookie)
        if cookies.count > Self.maximumCount { cookies.removeFirst() }
    }

    /// The value of the `Cookie` field for a URL; nil if no cookie belongs to it.
    ///
    /// - Parameter now: cookies whose lifetime has ended by then are left out; nil leaves out none.
    package func header(for url: HTTPURL, now: Date? = nil) -> String? {
        var value = ""
        for cookie in cookies where cookie.host == url.host && (url.isSecure || !cookie.secure) {
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

    /// The folder of the URL's path (RFC 6265 §5.1.4).
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != url.path.startIndex else {
            return "/"
        }
        return String(url.path[..<slash])
    }

    private static func covers(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// Max-Age decides where it is a number, else Expires (RFC 6265 §5.3).
    private static func expiry(maxAge: String?, expires: String?, now: Date) -> Date? {
        if let maxAge, maxAge.hasPrefix("-") || maxAge.utf8.first?.isASCIIDigit == true {
            // What is no number after all, or too large for one, is a cookie that stays.
            if maxAge.hasPrefix("-") { return .distantPast }
            guard let seconds = Int64(maxAge) else { return nil }
            return seconds == 0 ? .distantPast : now.addingTimeInterval(Double(min(seconds, 400 * 86_400)))
        }
        guard let expires else { return nil }
        // Netscape's form has hyphens where the preferred form has spaces.
        let spaced = String(expires.map { $0 == "-" ? " " : $0 })
        return HTTPDate.parse(expires) ?? HTTPDate.parse(spaced)
    }
}

/// A cookie that a client gives along with its request.
package struct GivenCookie: Hashable, Codable, Sendable {
    package var name: String
    package var value: String
    /// The host that it goes to; with a leading dot also to hosts below it.
    package var domain: String
    package var path: String
    package var secure: Bool

    package init(name: String, value: String, domain: String, path: String, secure: Bool) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.secure = secure
    }
}

/// Which given cookies go with a request.
extension GivenCookie {
    /// The value of the `Cookie` field of a request; nil if no cookie belongs to it.
    ///
    /// - Parameter met: a `Cookie` value with what servers have set since, which goes before a given cookie of the same name.
    package static func field(_ given: [GivenCookie], for url: HTTPURL, met: String?) -> String? {
        var value = met ?? ""
        let known = Set(
            value.split(separator: ";").map { pair in String(pair.prefix { $0 != "=" }).trimmingFieldSpace })
        for cookie in given where cookie.belongs(to: url) && !known.contains(cookie.name) {
            let pair = "\(cookie.name)=\(cookie.value)"
            guard !pair.containsControl, !pair.utf8.contains(UInt8(ascii: ";")) else { continue }
            guard value.utf8.count + pair.utf8.count + 2 <= TransferCookies.maximumFieldSize else { break }
            value += value.isEmpty ? pair : "; " + pair
        }
        return value.isEmpty ? nil : value
    }

    private func belongs(to url: HTTPURL) -> Bool {
        guard url.isSecure || !secure else { return false }
        let domain = domain.lowercased()
        let isHost =
            domain.hasPrefix(".") ? url.host == domain.dropFirst() || url.host.hasSuffix(domain) : url.host == domain
        guard isHost else { return false }
        let folder = path.hasPrefix("/") ? path : "/"
        return url.path == folder || url.path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}
