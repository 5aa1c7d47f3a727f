// Ferry: FerryCore
// The part of a URL that says whom to ask.

/// The authority of a URL: credentials, canonical host and port (RFC 3986 §3.2).
struct Authority {
    let credentials: Credentials?
    let host: String
    /// Nil where the URL names none.
    let port: Int?

    init(parsing text: String) throws(HostName.Fault) {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "\\") }) else {
            throw HostName.Fault(text: "a backslash stands before its path")
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.last else {
            throw HostName.Fault(text: "more than one “@” stands before its host; write an “@” of a password as %40")
        }
        credentials = parts.count == 2 ? try Self.credentials(String(Substring(parts[0]))) : nil
        // The port's colon is the last one outside of an IPv6 address.
        let hostEnd = address.lastIndex(of: UInt8(ascii: "]")) ?? address.startIndex
        if let colon = address[hostEnd...].firstIndex(of: UInt8(ascii: ":")) {
            host = try HostName.canonical(String(Substring(address[..<colon])))
            port = try Self.port(String(Substring(address[address.index(after: colon)...])))
        } else {
            host = try HostName.canonical(String(Substring(address)))
            port = nil
        }
    }

    private static func port(_ digits: String) throws(HostName.Fault) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits),
            (1...65535).contains(port)
        else { throw HostName.Fault(text: "its port is not a number from 1 to 65535") }
        return port
    }

    private static func credentials(_ userinfo: String) throws(HostName.Fault) -> Credentials? {
        guard !userinfo.isEmpty else { return nil }
        let parts = userinfo.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        var decoded: [String] = []
        for part in parts {
            guard let bytes = PercentEncoding.decode(String(Substring(part))),
                let text = String(validating: bytes, as: UTF8.self), !text.containsControl
            else { throw HostName.Fault(text: "its user name or password is not percent-encoded text") }
            decoded.append(text)
        }
        return Credentials(user: decoded[0], password: decoded.count == 2 ? decoded[1] : nil)
    }
}
