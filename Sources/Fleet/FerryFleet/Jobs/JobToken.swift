import FerryCore

/// The number of a job, for people. Numbers may be given a second time after a restore of the database.
package struct JobID: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
    package init(_ number: Int64) { rawValue = number }

    /// Parses a positive decimal number.
    package init?(_ text: String) {
        guard let number = Int64(text), number > 0 else { return nil }
        rawValue = number
    }

    package var description: String { String(rawValue) }
    package static func < (left: JobID, right: JobID) -> Bool { left.rawValue < right.rawValue }

    package init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(Int64.self) }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        try box.encode(rawValue)
    }
}

/// The identity of a job: 128 random bits, written as a UUID.
///
/// Unlike a ``JobID`` it is never given twice, so programs recognize a job by it across restores and fail-overs.
package struct JobToken: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// For an order.
    var words: (UInt64, UInt64) { (high, low) }

    package static func random(using source: inout some RandomNumberGenerator) -> JobToken {
        JobToken(high: source.next(), low: source.next())
    }

    /// Parses the usual form of a UUID (RFC 9562 §4): 32 hexadecimal digits in five groups.
    package init?(_ text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (place, byte) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(place) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(value) } else { words.1 = words.1 << 4 | UInt64(value) }
            digits += 1
        }
        guard digits == 32, text.utf8.count == 36 else { return nil }
        (high, low) = words
    }

    package var description: String {
        let text = high.hexDigits + low.hexDigits
        var groups: [Substring] = []
        var rest = text[...]
        for count in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: "-")
    }
}

extension JobToken: Codable {
    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        guard let token = JobToken(try box.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: box, debugDescription: "a token is written as a UUID")
        }
        self = token
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        try box.encode(description)
    }
}
