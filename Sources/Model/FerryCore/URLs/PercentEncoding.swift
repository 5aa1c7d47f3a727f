import FerryFoundation

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Encodes every byte that is not allowed as `%XX`.
    ///
    /// Existing triplets stay, so encoding is idempotent. A `%` that begins no `%XX` is encoded.
    package static func encode(_ text: String, also allowed: String) -> String {
        if text.utf8.allSatisfy({ $0.isUnreservedOrSubDelimiter || allowed.utf8.contains($0) }) { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let startsTriplet =
                byte == UInt8(ascii: "%") && index + 2 < bytes.count
                && bytes[index + 1].isHexadecimalDigit && bytes[index + 2].isHexadecimalDigit
            if startsTriplet || byte.isUnreservedOrSubDelimiter || allowed.utf8.contains(byte) {
                result.append(byte)
            } else {
                result += triplet(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes the bytes of a typed URL that are no UTF-8.
    package static func encodePathBytes(_ text: String) -> String {
        guard text.hasPathBytes else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if let byte = scalar.pathByte {
                result += String(decoding: triplet(byte), as: UTF8.self)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Encodes all but the unreserved characters (RFC 3986 §2.3). The text may be the name of a file.
    package static func encodeComponent(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.pathBytes {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                result.append(byte)
            } else {
                result += triplet(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes text. Returns nil if a `%` begins no `%XX`, or if the result is not UTF-8.
    package static func decodeComponent(_ text: some StringProtocol) -> String? {
        decode(String(text)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Encodes one byte as `%XX`.
    package static func triplet(_ byte: UInt8) -> [UInt8] {
        Array("%\([byte].hexDigits.uppercased())".utf8)
    }

    /// Decodes to bytes. Returns nil if a `%` begins no `%XX`.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(text, leavingStrayPercents: false)
    }

    /// Decodes once. Stray `%` stay, and invalid UTF-8 becomes U+FFFD.
    package static func decodeLeniently(_ text: String) -> String {
        String(decoding: decode(text, leavingStrayPercents: true) ?? [], as: UTF8.self)
    }

    private static func decode(_ text: String, leavingStrayPercents: Bool) -> [UInt8]? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            if index + 1 < bytes.count, let high = bytes[index].hexadecimalValue,
                let low = bytes[index + 1].hexadecimalValue
            {
                result.append(high << 4 | low)
                index += 2
            } else if leavingStrayPercents {
                result.append(byte)
            } else {
                return nil
            }
        }
        return result
    }
}

extension UInt8 {
    package var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is allowed in every part after the authority (RFC 3986 §2).
    var isUnreservedOrSubDelimiter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        // The first range contains & ' ( ) * + , - and the full stop.
        case UInt8(ascii: "&")...UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
