// Ferry: FerryCore
// Text from outside, made safe to show.

extension String {
    /// This text with control characters, and all others that hide or turn text, written as `\u{…}`.
    ///
    /// Whatever came from a server or a caller goes through this before a person or a log sees it, so that it can neither
    /// move a terminal's cursor, nor add a line, nor look like another text.
    package var escapingControls: String {
        replacingHidden { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// Whether the text holds control characters, separators of lines or bidirectional overrides, which no name of a session
    /// and no tag may have.
    package var hasControls: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}
