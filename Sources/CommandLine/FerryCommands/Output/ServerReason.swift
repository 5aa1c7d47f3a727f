import FerryCore
import FerryFoundation

/// The reason that a server gives in the body of an error response, as text on one line.
///
/// Reads JSON (RFC 9457 and common forms), XML of object stores, HTML, and plain text.
enum ServerReason {
    /// Maximum number of characters shown.
    private static let longest = 300

    /// - Returns: Nil if the body says nothing.
    static func of(_ error: ServiceError?) -> String? {
        guard let body = error?.details.body else { return nil }
        let text = json(body) ?? xml(body) ?? plain(body)
        let line = text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ").escapingControls
        guard !line.isEmpty else { return nil }
        return line.count > longest ? line.prefix(longest) + "…" : line
    }

    // MARK: JSON

    private static func json(_ body: String) -> String? {
        guard body.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        return (try? JSONDecoder().decode(Problem.self, from: Data(body.utf8)))?.text
    }

    /// An object with a message under one of the usual names.
    private struct Problem: Decodable {
        let text: String?

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        private static let names = [
            "detail", "message", "error_description", "reason", "msg", "error", "errors", "title", "details",
        ]

        init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: Key.self)
            for name in Self.names {
                let key = Key(stringValue: name)
                if let text = try? box.decode(String.self, forKey: key), !text.isEmpty {
                    self.text = text
                    return
                }
                let inner =
                    (try? box.decode(Problem.self, forKey: key))
                    ?? (try? box.decode([Problem].self, forKey: key))?.first
                let list = (try? box.decode([String].self, forKey: key))?.first
                if let text = inner?.text ?? list {
                    self.text = text
                    return
                }
            }
            text = nil
        }
    }

    // MARK: XML and HTML

    private static func xml(_ body: String) -> String? {
        for name in ["message", "title"] {
            guard let start = end(of: "<\(name)>", in: body[...]), let close = body[start...].firstRange(of: "</")
            else { continue }
            let text = unescaped(body[start..<close.lowerBound])
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            guard name == "title" else { return text }
            // A title such as “403 Forbidden” says less than the page.
            let page = plain(String(body[close.lowerBound...]))
            return page.allSatisfy(\.isWhitespace) ? text : page
        }
        return nil
    }

    /// The text without tags, and without what a page does not show.
    private static func plain(_ body: String) -> String {
        var text = ""
        var rest = body[...]
        while let open = rest.firstIndex(of: "<") {
            text += rest[..<open]
            let tag = rest[open...]
            let mark = hidden.first { tag.utf8.dropFirst().starts(with: $0.start.utf8, by: isSame) }?.end ?? ">"
            guard let end = end(of: mark, in: tag.dropFirst()) else { return unescaped(text[...]) }
            rest = body[end...]
            text += " "
        }
        return unescaped((text + rest)[...])
    }

    private static let hidden = [("script", "</script>"), ("style", "</style>"), ("!--", "-->")]
        .map { (start: $0.0, end: $0.1) }

    /// The end of the first occurrence of a mark, in any case of ASCII letters.
    private static func end(of mark: String, in text: Substring) -> String.Index? {
        let count = mark.utf8.count
        var rest = text.utf8
        while rest.count >= count {
            if rest.starts(with: mark.utf8, by: isSame) { return rest.index(rest.startIndex, offsetBy: count) }
            rest.removeFirst()
        }
        return nil
    }

    private static func isSame(_ one: UInt8, _ other: UInt8) -> Bool {
        one == other || one | 0x20 == other | 0x20 && (0x61...0x7A).contains(one | 0x20)
    }

    private static func unescaped(_ text: Substring) -> String {
        var text = String(text)
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&nbsp;", " "),
            ("&amp;", "&"),
        ] { text.replace(entity, with: character) }
        return text
    }
}
