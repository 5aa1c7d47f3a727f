import ArgumentParser
import FerryCore
import FerryFoundation

/// A cookie file in Netscape's format, as written by curl, wget and browser extensions: seven tab-separated fields per
/// line (https://curl.se/docs/http-cookies.html).
struct CookieFile {
    private static let onlyHTTP = "#HttpOnly_"

    /// The cookies that have not expired.
    private(set) var cookies: [GivenCookie] = []
    private(set) var skipped = SkippedLines()

    /// - Parameter hosts: The hosts of the command's URLs. A cookie for one of them must be readable.
    /// - Throws: `ValidationError` with the number of an unreadable line for one of the hosts, or if no line is a
    ///   cookie. The text may be secret and is not included.
    init(_ text: String, from path: String, hosts: Set<String>, now: Date) throws {
        var isExpired = false
        for (index, line) in TextLines(text).enumerated() {
            let isOnlyHTTP = line.hasPrefix(Self.onlyHTTP)
            guard !line.allSatisfy(\.isWhitespace), isOnlyHTTP || !line.hasPrefix("#") else { continue }
            let line = isOnlyHTTP ? line.dropFirst(Self.onlyHTTP.count) : line
            guard let (cookie, expires) = Self.cookie(line) else {
                guard !Self.isForOne(of: hosts, line) else {
                    throw ValidationError(
                        "Line \(index + 1) of “\(path.escapingControls)” is not a cookie: it needs seven tab-separated fields."
                    )
                }
                skipped.append(index + 1)
                continue
            }
            // 0 and less mean a session cookie.
            if expires > 0, expires <= now.timeIntervalSince1970 {
                isExpired = true
            } else {
                cookies.append(cookie)
            }
        }
        guard !cookies.isEmpty || isExpired || skipped.isEmpty else {
            throw ValidationError(
                "“\(path.escapingControls)” has no line with a cookie; save it as cookies.txt in Netscape's format.")
        }
    }

    private static func cookie(_ line: Substring) -> (GivenCookie, expires: Double)? {
        var fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
        // Some programs remove the tab before an empty value.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, let below = flag(fields[1]), let secure = flag(fields[3]),
            let expires = fields[4].isEmpty ? 0 : Double(fields[4]), fields[2].isEmpty || fields[2].hasPrefix("/")
        else { return nil }
        let host = fields[0].drop { $0 == "." }.lowercased()
        guard !host.isEmpty, !host.contains(where: \.isWhitespace), !fields[5].isEmpty || !fields[6].isEmpty else {
            return nil
        }
        return (
            GivenCookie(
                name: fields[5], value: fields[6], domain: (below ? "." : "") + host,
                path: fields[2].isEmpty ? "/" : fields[2], secure: secure),
            expires
        )
    }

    /// Whether the first word of a line is one of the hosts, or a domain above one.
    private static func isForOne(of hosts: Set<String>, _ line: Substring) -> Bool {
        let domain = line.prefix { !$0.isWhitespace }.drop { $0 == "." }.lowercased()
        guard domain.contains(".") || hosts.contains(domain) else { return false }
        return hosts.contains { $0 == domain || $0.hasSuffix("." + domain) }
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }
}
