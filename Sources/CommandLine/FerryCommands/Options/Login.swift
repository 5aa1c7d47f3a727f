import ArgumentParser
import FerryCore

/// Credentials for all URLs without their own, as with curl's `-u`.
struct Login: Equatable, Sendable {
    let user: String
    let password: String

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// - Parameters:
    ///   - option: `USER:PASSWORD`, or `USER` if the password is given separately.
    ///   - input: The contents of standard input. Nil if the password is not read from it.
    /// - Throws: `ValidationError` without a user name, without a password, or with two.
    init(option: String, input: String?) throws {
        let parts = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty else {
            throw ValidationError("-u needs a user name, as in USER:PASSWORD.")
        }
        user = String(first)
        switch (parts.dropFirst().first, input) {
        case (let given?, nil): password = String(given)
        case (nil, let text?): password = String(text.prefix { !$0.isNewline })
        case (nil, nil):
            throw ValidationError("-u \(user.escapingControls) needs a password: USER:PASSWORD, or --password-stdin.")
        case (_?, _?): throw ValidationError("-u already has a password; leave out --password-stdin.")
        }
    }

    /// Adds the credentials to a URL without its own. An invalid URL stays as it is and is refused later.
    func added(to url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        guard !url[start..<end].contains("@") else { return url }
        return url[..<start] + Self.escaped(user) + ":" + Self.escaped(password) + "@" + url[start...]
    }

    /// Percent-encodes all but unreserved characters (RFC 3986 §2.3), so that decoding returns the same bytes.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || "-._~".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return result
    }
}
