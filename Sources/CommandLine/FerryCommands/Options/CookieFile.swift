import ArgumentParser
import FerryCore
import FerryFoundation

/// A cookie file in Netscape's format, as written by curl, wget and browser extensions: seven tab-separated fields per
/// line (https://curl.se/docs/http-cookies.html).
enum CookieFile {
    private static let onlyHTTP = "#HttpOnly_"

    /// Parses the cookies that have not expired.
    ///
    /// - Throws: `ValidationError` with the number of an invalid line. The text may be secret and is not included.
    static func parse(_ text: String, from path: String, now: Date) throws -> [GivenCookie] {
        var cookies: [GivenCookie] = []
        for (index, line) in TextLines(text).enumerated() {
            var line = line
            if line.hasPrefix(onlyHTTP) {
                line = line.dropFirst(onlyHTTP.count)
            } else if line.hasPrefix("#") {
                continue
            }
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 7, !fields[0].isEmpty, fields[2].hasPrefix("/"), let below = flag(fields[1]),
                let secure = flag(fields[3]), let expires = Double(fields[4])
            else {
                throw ValidationError(
                    "Line \(index + 1) of “\(path.escapingControls)” is not a cookie: it needs seven tab-separated fields."
                )
            }
            // 0 means a session cookie.
            if expires > 0, expires <= now.timeIntervalSince1970 { continue }
            let host = fields[0].drop { $0 == "." }
            cookies.append(
                GivenCookie(
                    name: fields[5], value: fields[6], domain: (below ? "." : "") + host, path: fields[2],
                    secure: secure))
        }
        return cookies
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }
}
