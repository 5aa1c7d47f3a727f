// Ferry: Ferry
// Bytes as text.

/// Bytes as lower-case hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
