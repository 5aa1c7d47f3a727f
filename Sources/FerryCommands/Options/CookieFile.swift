import ArgumentParser
import FerryCore
import FerryFoundation

/// A file of cookies as Netscape's browser wrote it, and curl, wget and browsers' extensions still do: seven fields a line, with
/// tabs between (https://curl.se/docs/http-cookies.html).
enum CookieFile {
    private static let onlyHTTP = "#HttpOnly_"

    /// The cookies that have not expired.
    ///
    /// - Throws: `ValidationError` for a line that is none, with its number; its text may be a secret.
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
                    "Line \(index + 1) of “\(path.escapingControls)” is no cookie: it needs seven fields with tabs between."
                )
            }
            // 0 is a cookie of the browser's session.
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
