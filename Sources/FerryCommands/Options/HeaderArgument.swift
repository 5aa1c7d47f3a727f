// Ferry: FerryCommands
// A header field as people write it.

import ArgumentParser
import FerryCore

/// Reads `Name: value`.
enum HeaderArgument {
    /// - Throws: `ValidationError` if there is no colon or no name before it.
    static func parse(_ text: String) throws -> HeaderField {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw ValidationError("“\(text.escapingControls)” is no header field; write it as 'Name: value'.")
        }
        let value = text[text.index(after: colon)...]
        return HeaderField(name: String(text[..<colon]), value: trimmed(value))
    }

    // Blanks around a field's value are no part of it (RFC 9110 §5.5).
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
