// Ferry: FerryCore
// An ETag and what it is good for.

/// The value of an `ETag` field (RFC 9110 §8.8.3), kept as it was sent.
package struct EntityTag: Hashable, Sendable {
    package enum Strength: Hashable, Sendable {
        /// Names one sequence of bytes.
        case strong
        /// May name different bytes, so that it cannot guard a range (RFC 9110 §8.8.1).
        case weak
        /// Unquoted, empty, or with characters that no tag has: says nothing.
        case invalid
    }

    package let raw: String
    package let strength: Strength

    package init(_ raw: String) {
        self.raw = raw
        let isWeak = raw.hasPrefix("W/")
        let quoted = isWeak ? raw.dropFirst(2) : raw[...]
        strength = Self.isQuotedTag(quoted) ? (isWeak ? .weak : .strong) : .invalid
    }

    package var isStrong: Bool { strength == .strong }

    private static func isQuotedTag(_ text: Substring) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count > 2, scalars.first == "\"", scalars.last == "\"" else { return false }
        // U+FFFD stands for bytes that were lost in decoding: such a tag cannot be sent back byte for byte.
        return scalars.dropFirst().dropLast().allSatisfy {
            $0.value > 0x20 && $0 != "\"" && !(0x7F...0x9F ~= $0.value) && $0.value != 0xFFFD
        }
    }
}
