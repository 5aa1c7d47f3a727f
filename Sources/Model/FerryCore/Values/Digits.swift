extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two for each.
    package var hexDigits: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append((byte >> 4).hexDigit)
            digits.append((byte & 15).hexDigit)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension UInt64 {
    /// The number as 16 lowercase hexadecimal digits.
    package var hexDigits: String {
        stride(from: 56, through: 0, by: -8).lazy.map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }.hexDigits
    }
}

extension UInt8 {
    /// Whether this is the ASCII code of a hexadecimal digit.
    package var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The value of a hexadecimal digit, or nil.
    package var hexadecimalValue: UInt8? {
        guard isHexadecimalDigit else { return nil }
        return isASCIIDigit ? self - UInt8(ascii: "0") : (self | 0x20) - UInt8(ascii: "a") + 10
    }

    /// The digit of a value below 16.
    fileprivate var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10 }
}

extension Int64 {
    /// Parses 1 to 18 decimal digits and nothing else.
    package init?(digits text: some StringProtocol) { self.init(digits: text.utf8) }

    /// Parses 1 to 18 decimal digits and nothing else.
    package init?(digits bytes: some Sequence<UInt8>) {
        var number: Int64 = 0
        var count = 0
        for byte in bytes {
            count += 1
            guard 0x30...0x39 ~= byte, count <= 18 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        guard count > 0 else { return nil }
        self = number
    }
}
