// Ferry: FerryCore
// Text from outside, made safe to show.

extension String {
    /// This text with control characters and bidirectional overrides written as `\u{…}`.
    ///
    /// Whatever came from a server or a caller goes through this before a person or a log sees it, so that it can neither
    /// move a terminal's cursor nor add a line.
    package var escapingControls: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
