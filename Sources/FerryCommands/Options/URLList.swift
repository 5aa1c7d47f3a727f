// Ferry: FerryCommands
// A list of URLs in a file.

/// Reads a list of URLs: one a line; blank lines and lines that begin with `#` are skipped.
enum URLList {
    static func parse(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let url = line.drop(while: \.isWhitespace)
            guard let first = url.first, first != "#" else { return nil }
            guard let last = url.lastIndex(where: { !$0.isWhitespace }) else { return nil }
            return String(url[...last])
        }
    }
}
