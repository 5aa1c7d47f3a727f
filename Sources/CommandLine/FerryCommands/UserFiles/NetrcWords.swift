/// The words of a netrc file, separated by whitespace or in quotation marks. A backslash in quotation marks escapes the
/// next character.
struct NetrcWords {
    /// A word as a value. The position decides what it means.
    enum Value: Equatable {
        case word(String)
        /// A quotation mark without a second one in its line.
        case unclosed
    }

    private var rest: Substring
    private(set) var line = 1

    init(_ text: String) { rest = text[...] }

    /// The next word that may be a keyword. A `#` begins a comment there.
    mutating func keyword() -> String? {
        while let character = skipBlanks() {
            guard character == "#" else { return plain() }
            rest = rest.drop { !$0.isNewline }
        }
        return nil
    }

    /// The next word as the value of a keyword, where a `#` has no meaning of its own. Nil at the end of the file.
    mutating func value() -> Value? {
        guard let character = skipBlanks() else { return nil }
        return character == "\"" ? quoted() : .word(plain())
    }

    /// Skips a macro, which ends with an empty line.
    mutating func skipParagraph() {
        while let character = rest.popFirst() {
            guard character.isNewline else { continue }
            line += 1
            if rest.first?.isNewline ?? true { return }
        }
    }

    /// Returns the first character of the next word.
    private mutating func skipBlanks() -> Character? {
        while let character = rest.first, character.isWhitespace {
            if character.isNewline { line += 1 }
            rest.removeFirst()
        }
        return rest.first
    }

    private mutating func plain() -> String {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func quoted() -> Value {
        rest.removeFirst()
        var word = ""
        while let character = rest.first, !character.isNewline {
            rest.removeFirst()
            switch character {
            case "\"": return .word(word)
            case "\\" where rest.first?.isNewline == false: word.append(Self.escaped(rest.removeFirst()))
            default: word.append(character)
            }
        }
        return .unclosed
    }

    private static func escaped(_ character: Character) -> Character {
        switch character {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default: character
        }
    }
}
