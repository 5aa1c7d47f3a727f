import FerryFoundation

/// Normalizes the host of a URL, so that equal hosts compare equal.
///
/// Names become lowercase A-labels, numbers that a resolver would read as an IPv4 address become dotted decimal, and
/// IPv6 addresses take the form of RFC 5952 in brackets.
enum HostName {
    /// The problem with a host, as the end of a sentence.
    struct Fault: Error {
        let text: String
    }

    static func canonical(_ written: String) throws(Fault) -> String {
        guard !written.isEmpty else { throw Fault(text: "its host is empty") }
        if written.hasPrefix("[") { return try canonicalV6(written) }
        if isDottedDecimal(written) { return written }
        guard let bytes = PercentEncoding.decode(written) else {
            throw Fault(text: "its host has a “%” that starts no percent-encoded byte")
        }
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || "/\\@:#?%".utf8.contains($0) }),
            let name = String(validating: bytes, as: UTF8.self)
        else { throw Fault(text: "its host has a percent-encoded delimiter or control character") }
        let ascii = try asciiName(name)
        return try dottedDecimal(ascii) ?? ascii
    }

    /// Whether a host is a canonical IPv4 address.
    private static func isDottedDecimal(_ written: String) -> Bool {
        var parts = 1
        var digits = 0
        var value = 0
        for byte in written.utf8 {
            if byte == UInt8(ascii: "."), digits > 0, parts < 4 {
                (parts, digits, value) = (parts + 1, 0, 0)
                continue
            }
            // A leading zero would make the part octal.
            guard byte.isASCIIDigit, digits == 0 || value > 0 else { return false }
            digits += 1
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= 255 else { return false }
        }
        return parts == 4 && digits > 0
    }

    private static func canonicalV6(_ written: String) throws(Fault) -> String {
        let fault = Fault(text: "its IPv6 address is malformed")
        guard written.hasSuffix("]") else { throw fault }
        let inner = String(written.dropFirst().dropLast())
        guard let percent = inner.utf8.firstIndex(of: UInt8(ascii: "%")) else {
            guard case .v6? = IPAddress("[\(inner)]"), let address = IPAddress("[\(inner)]") else { throw fault }
            return "[\(address)]"
        }
        // A zone is part of the host: an address in two zones is two hosts (RFC 6874).
        let zone = inner[percent...].utf8.dropFirst(3)
        guard inner[percent...].hasPrefix("%25"), !zone.isEmpty, zone.count <= 32,
            zone.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) }),
            case .v6? = IPAddress("[\(inner[..<percent])]"), let address = IPAddress("[\(inner[..<percent])]")
        else { throw fault }
        return "[\(address)%25\(Substring(zone))]"
    }

    private static func asciiName(_ name: String) throws(Fault) -> String {
        let fault = Fault(text: "its host is no valid host name")
        var ascii = name
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            // Foundation maps by UTS #46: full-width dots and letters are mapped before validation.
            guard let mapped = URLComponents(string: "http://\(name)/")?.encodedHost else { throw fault }
            ascii = mapped
        }
        ascii = ascii.lowercased()
        guard ascii.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }) else {
            throw fault
        }
        var labels = ascii.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.allSatisfy({ (1...63).contains($0.count) }), ascii.utf8.count <= 254 else { throw fault }
        return ascii
    }

    /// The IPv4 address of a name whose last label is a number, as a resolver reads it, or nil for other names.
    ///
    /// One to four parts, each decimal, octal (`0…`) or hexadecimal (`0x…`). The last part fills the remaining bytes.
    private static func dottedDecimal(_ name: String) throws(Fault) -> String? {
        // Fast path: the last label of nearly all hosts begins with a letter.
        let tail = name.utf8.split(separator: UInt8(ascii: ".")).last
        guard tail?.first?.isASCIIDigit == true else { return nil }
        let labels = name.split(separator: ".").map(String.init)
        guard let last = labels.last, last.utf8.allSatisfy(\.isASCIIDigit) || number(last) != nil else { return nil }
        let fault = Fault(text: "its host is a malformed IPv4 address")
        let values = labels.compactMap(number)
        guard values.count == labels.count, (1...4).contains(values.count), let tail = values.last,
            values.dropLast().allSatisfy({ $0 <= 255 }), tail < UInt64(1) << UInt64(8 * (5 - values.count))
        else { throw fault }
        var address = UInt32(tail)
        for (index, value) in values.dropLast().enumerated() {
            address |= UInt32(value) << UInt32(24 - 8 * index)
        }
        return IPAddress.v4(address).description
    }

    private static func number(_ label: String) -> UInt64? {
        if label.hasPrefix("0x") {
            let digits = label.dropFirst(2)
            return digits.isEmpty ? 0 : digits.utf8.allSatisfy(\.isHexadecimalDigit) ? UInt64(digits, radix: 16) : nil
        }
        guard !label.isEmpty, label.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt64(label, radix: label.hasPrefix("0") ? 8 : 10)
    }
}

/// The authority of a URL: credentials, canonical host and port (RFC 3986 §3.2).
struct Authority {
    let credentials: Credentials?
    let host: String
    /// Nil if the URL has none.
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
        // The port follows the last colon outside an IPv6 address.
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
