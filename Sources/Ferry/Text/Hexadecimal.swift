// Ferry: Ferry
// Bytes as text.

/// Bytes as lower-case hexadecimal digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The sixteen digits of a number.
    static func text(_ number: UInt64) -> String {
        text((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }
}
