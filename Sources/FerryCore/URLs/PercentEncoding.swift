/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// This text with every byte that a URL may not hold at that place written as `%XX`.
    ///
    /// What is encoded already stays as it is, so that encoding twice changes nothing; a `%` that starts no `%XX` is encoded.
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

    /// One byte as `%XX`.
    static func triplet(_ byte: UInt8) -> [UInt8] {
        Array(((byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)).utf8)
    }

    /// The bytes that the text stands for; nil if a `%` starts no `%XX`.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(text, leavingStrayPercents: false)
    }

    /// The text's meaning, decoded once; stray `%` stay, and bytes that are no UTF-8 become U+FFFD.
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
    var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// The value of a hexadecimal digit; nil for any other byte.
    var hexadecimalValue: UInt8? {
        guard isHexadecimalDigit else { return nil }
        return isASCIIDigit ? self - UInt8(ascii: "0") : (self | 0x20) - UInt8(ascii: "a") + 10
    }

    /// Whether RFC 3986 §2 lets this byte stand for itself in every part after the authority.
    var isUnreservedOrSubDelimiter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        // The first range is & ' ( ) * + , - and the full stop.
        case UInt8(ascii: "&")...UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
