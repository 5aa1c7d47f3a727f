import FerryCore
package import FerryFoundation

/// Encodes and decodes the JSON of the control API.
///
/// Keys are sorted, so equal values have equal bytes. Dates are RFC 3339 in UTC with milliseconds.
package enum APIJSON {
    private static let writer = JSONWriter(date: .text { WireDate.text($0) }, sortsKeys: true)

    /// Encodes a value.
    ///
    /// - Throws: Errors of the value's `encode(to:)`, or `EncodingError` for a number that JSON cannot represent.
    package static func bytes(_ value: some Encodable) throws -> [UInt8] { try writer.bytes(value) }

    package static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let box = try decoder.singleValueContainer()
            guard let date = WireDate.date(try box.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: box, debugDescription: "a date is written as in 2026-01-31T12:00:00Z")
            }
            return date
        }
        return decoder
    }()
}

/// Formats dates as RFC 3339 in UTC with milliseconds, and parses them with or without a fraction.
///
/// The usual form is implemented by hand, since each transfer has several dates: a format style's first use takes as
/// long as the rest of a small command.
enum WireDate {
    /// Formats a date. The form holds years 0 to 9999; other dates are clamped.
    static func text(_ date: Date) -> String {
        // Rounds once, here, so that a parsed date is formatted as the same text.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let total = milliseconds.isNaN ? 0 : Int(min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999))
        let days = Int((Double(total) / 86_400_000).rounded(.down))
        let rest = total - days * 86_400_000
        let (year, month, day) = GregorianDay.date(days)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func write(_ number: Int, _ digits: Int, then mark: Unicode.Scalar) {
            var unit = 1
            for _ in 1..<digits { unit *= 10 }
            while unit > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                unit /= 10
            }
            bytes.append(UInt8(ascii: mark))
        }
        write(year, 4, then: "-")
        write(month, 2, then: "-")
        write(day, 2, then: "T")
        write(rest / 3_600_000, 2, then: ":")
        write(rest / 60_000 % 60, 2, then: ":")
        write(rest / 1000 % 60, 2, then: ".")
        write(rest % 1000, 3, then: "Z")
        return String(decoding: bytes, as: UTF8.self)
    }

    static func date(_ text: String) -> Date? {
        // The format style would parse the 29th of a month with 28 days as the 1st of the next one.
        text.utf8.last == UInt8(ascii: "Z") ? usual(text) : try? fraction.parse(text)
    }

    /// Parses dates in other time zones.
    private static let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Parses `2026-01-31T12:00:00Z`, with up to 18 digits of a fraction. Returns `nil` for anything else.
    private static func usual(_ text: String) -> Date? {
        var rest = text.utf8[...]
        func number(_ digits: Int, then mark: Unicode.Scalar?) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let digit = rest.popFirst(), 0x30...0x39 ~= digit else { return nil }
                value = value * 10 + Int(digit - 0x30)
            }
            guard let mark else { return value }
            return rest.popFirst() == UInt8(ascii: mark) ? value : nil
        }
        guard let year = number(4, then: "-"), let month = number(2, then: "-"), let day = number(2, then: "T"),
            let hour = number(2, then: ":"), let minute = number(2, then: ":"), let second = number(2, then: nil),
            hour < 24, minute < 60, second < 60, 1...12 ~= month
        else { return nil }
        let days = GregorianDay.number(year, month, day)
        guard GregorianDay.date(days) == (year, month, day) else { return nil }
        let whole = Double(days * 86_400 + hour * 3600 + minute * 60 + second)
        guard let mark = rest.popFirst() else { return nil }
        if mark == UInt8(ascii: "Z"), rest.isEmpty { return Date(timeIntervalSince1970: whole) }
        let digits = rest.count - 1
        guard mark == UInt8(ascii: "."), 1...18 ~= digits, let part = number(digits, then: "Z") else { return nil }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return Date(timeIntervalSince1970: whole + Double(part) / scale)
    }
}
