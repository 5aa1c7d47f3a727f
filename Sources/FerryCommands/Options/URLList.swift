// Ferry: FerryCommands
// A list of URLs in a file.

/// Reads a list of URLs: one a line; blank lines and lines that begin with `#` are skipped.
enum URLList {
    static func parse(_ text: String) -> [String] {
        // Most lists are of ASCII, whose lines and spaces need no look at whole characters.
        text.utf8.allSatisfy { $0 < 0x80 } ? parse(ascii: text) : parse(characters: text)
    }

    private static func parse(ascii text: String) -> [String] {
        text.utf8.split(whereSeparator: isLineBreak).compactMap { line in
            let url = line.drop(while: isSpace)
            guard let first = url.first, first != UInt8(ascii: "#") else { return nil }
            guard let last = url.lastIndex(where: { !isSpace($0) }) else { return nil }
            return String(Substring(url[...last]))
        }
    }

    private static func parse(characters text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let url = line.drop(while: \.isWhitespace)
            guard let first = url.first, first != "#" else { return nil }
            guard let last = url.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return String(url[...last])
        }
    }

    /// Line feed, vertical tab, form feed, carriage return.
    private static func isLineBreak(_ byte: UInt8) -> Bool { (0x0A...0x0D).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
