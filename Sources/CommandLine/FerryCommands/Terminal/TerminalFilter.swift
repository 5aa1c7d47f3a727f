import FerryCore

/// Makes bytes from a server harmless on a terminal, part by part.
///
/// Keeps the end of a part that is the beginning of a character or of a line end. Bytes that are not UTF-8 become replacement characters.
package struct TerminalFilter: Sendable {
    private var rest: [UInt8] = []

    package init() {}

    /// Returns the text to show for the next part.
    package mutating func shown(_ bytes: ArraySlice<UInt8>) -> String {
        let all = rest + bytes
        let end = Self.lastBoundary(all)
        rest = Array(all[end...])
        return String(decoding: all[..<end], as: UTF8.self)
            // A CR alone would overwrite the line.
            .replacing("\r\n", with: "\n")
            .replacingHidden { scalar in
                scalar == "\n" || scalar == "\t" ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
    }

    /// The end of the last complete character. An incomplete one has at most three bytes.
    private static func lastBoundary(_ bytes: [UInt8]) -> Int {
        if bytes.last == UInt8(ascii: "\r") { return bytes.count - 1 }
        for index in bytes.indices.suffix(3).reversed() {
            let length =
                switch bytes[index] {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                case 0x80...0xBF: 0
                default: 1
                }
            // A continuation byte belongs to a character before it.
            guard length > 0 else { continue }
            return index + length > bytes.count ? index : bytes.count
        }
        return bytes.count
    }
}
