import ArgumentParser
import FerryCore

/// An option of curl, wget or aria2 that `ferry get` and `ferry add` accept, and its meaning.
struct ForeignOption: Sendable {
    enum Meaning: Sendable {
        /// Ferry's default behavior.
        case usual
        /// Equivalent to an option of Ferry's, with the same value.
        case option(String)
        /// A flag that is replaced by these words.
        case words([String])
        /// The replacement for a value, or an error message.
        case value(@Sendable (String) throws(ValidationError) -> [String])
        /// Not supported. The message says what to use instead.
        case advice(String)
    }

    let names: [String]
    let meaning: Meaning

    init(_ names: String..., meaning: Meaning) {
        self.names = names
        self.meaning = meaning
    }

    /// Whether the next word is its value.
    var takesValue: Bool {
        switch meaning {
        case .option, .value: true
        case .usual, .words, .advice: false
        }
    }

    /// The equivalent words of Ferry's.
    ///
    /// - Parameter typed: The option as typed.
    /// - Throws: `ValidationError` with the alternative.
    func words(typed: String, value: String) throws(ValidationError) -> [String] {
        switch meaning {
        case .usual: return []
        case .option(let name): return [name, value]
        case .words(let words): return words
        case .advice(let sentence): throw ValidationError("\(typed): \(sentence)")
        case .value(let read):
            do { return try read(value) } catch { throw ValidationError("\(typed): \(error.message)") }
        }
    }
}

/// Translates a command line for curl, wget or aria2 to Ferry's options.
///
/// Unknown options stay as they are and are refused by the parser.
struct TranslatedArguments {
    /// Options of `get` and `add` with a value in the next word.
    static let ownWithValue: Set<String> = [
        "--header", "--user", "--netrc-file", "--cookie", "--user-agent", "--referer", "--input-file", "--output",
        "--folder", "--checksum", "--checksums", "--on-conflict", "--priority", "--limit-rate", "--connections",
        "--mirror", "--retries", "--max-time", "--speed-limit", "--speed-time", "--session", "--tag",
        "--expected-size", "--max-size", "--max-filesize", "--cacert", "--cert", "--key", "--proxy", "--noproxy",
        "--connect-timeout", "--read-timeout", "--max-redirs", "--request", "--data", "--data-raw", "--data-binary",
        "--json-body", "--range", "--begin",
    ]
    /// Their short forms, and those without a value.
    static let ownLetters = (withValue: "AHXYbdeimoruxy", flags: "Ikqh46")

    private var rest: ArraySlice<String>
    private var words: [String] = []

    /// - Parameter typed: The words after the command.
    /// - Throws: `ValidationError` for an unsupported option.
    static func translated(_ typed: [String]) throws(ValidationError) -> [String] {
        var reader = TranslatedArguments(rest: typed[...])
        while let word = reader.rest.popFirst() {
            if word == "--" {
                reader.words.append(word)
                break
            }
            try reader.take(word)
        }
        return reader.words + reader.rest
    }

    private mutating func take(_ word: String) throws(ValidationError) {
        let before = words.count
        if word.hasPrefix("--") { try takeLong(word) } else { try takeShort(word) }
        try UnsafeFlags.check(words[before...], typed: word, before: rest.first)
    }

    private mutating func takeShort(_ word: String) throws(ValidationError) {
        guard word.hasPrefix("-"), word.utf8.count > 1 else { return words.append(word) }
        if let habit = ForeignOptionTable.words[word], word.utf8.count > 2 {
            words += try habit.words(typed: word, value: "")
            return
        }
        try takeLetters(word)
    }

    private mutating func takeLong(_ word: String) throws(ValidationError) {
        let equals = word.firstIndex(of: "=")
        let name = String(equals.map { word[..<$0] } ?? word[...])
        let given = equals.map { String(word[word.index(after: $0)...]) }
        guard let habit = ForeignOptionTable.words[name] else {
            words.append(word)
            if Self.ownWithValue.contains(name), given == nil { words += rest.popFirst().map { [$0] } ?? [] }
            return
        }
        if habit.takesValue {
            guard let value = given ?? rest.popFirst() else { throw ValidationError("\(name) needs a value.") }
            words += try habit.words(typed: name, value: value)
        } else if let given, given != "true" {
            throw ValidationError("\(name) takes no value; leave “=\(given.escapingControls)” out.")
        } else {
            words += try habit.words(typed: name, value: "")
        }
    }

    /// Translates a word of combined flags such as `-fsSL`, of which the last may have a value.
    private mutating func takeLetters(_ word: String) throws(ValidationError) {
        var found: [String] = []
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let option = "-\(letter)"
            if Self.ownLetters.flags.contains(letter) {
                found.append(option)
                continue
            }
            let isOwn = Self.ownLetters.withValue.contains(letter)
            // The parser handles the word if it has an unknown letter.
            guard isOwn || ForeignOptionTable.words[option] != nil else { return words.append(word) }
            if !isOwn, let habit = ForeignOptionTable.words[option], !habit.takesValue,
                !ForeignOptionTable.mayHaveValue(letter, joined: letters, rest)
            {
                found += try habit.words(typed: option, value: "")
                continue
            }
            guard
                let value = letters.isEmpty
                    ? rest.popFirst() : String(letters.first == "=" ? letters.dropFirst() : letters)
            else {
                if isOwn {
                    words += found + [option]
                    return
                }
                throw ValidationError("\(option) needs a value.")
            }
            found += try ForeignOptionTable.words(for: letter, value: value)
            words += found
            return
        }
        words += found
    }
}
