/// Identifies a transfer: 64 bits, ordered by submission, written as 16 hexadecimal digits.
package struct TransferID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the next id: milliseconds since 1970 in the upper 44 bits, a counter in the lower 20.
    ///
    /// Ids of one process strictly increase, even if the clock steps back or a millisecond is exhausted.
    package static func next(after last: TransferID?, milliseconds: UInt64) -> TransferID {
        let fresh = milliseconds << 20
        guard let last, fresh <= last.rawValue else { return TransferID(rawValue: fresh) }
        return TransferID(rawValue: last.rawValue.addingSaturated(1))
    }

    /// The id `count` positions after this one.
    package func advanced(by count: Int) -> TransferID {
        TransferID(rawValue: rawValue.addingSaturated(UInt64(max(0, count))))
    }

    package static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}

extension TransferID: LosslessStringConvertible {
    package init?(_ text: String) {
        guard text.utf8.count == 16 else { return nil }
        var value: UInt64 = 0
        for byte in text.utf8 {
            guard let digit = byte.hexadecimalValue else { return nil }
            value = value << 4 | UInt64(digit)
        }
        rawValue = value
    }

    package var description: String { rawValue.hexDigits }
}

extension TransferID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = TransferID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a transfer id has 16 hexadecimal digits")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
