import ArgumentParser
import FerryCore

/// An option of curl, wget or aria2 that people type by habit, and its meaning to `ferry get` and `ferry add`.
struct ForeignOption: Sendable {
    enum Meaning: Sendable {
        /// Ferry does so without the option.
        case usual
        /// One of Ferry's options has the same meaning; a value goes along.
        case option(String)
        /// A flag that stands for these words.
        case words([String])
        /// The words that a value stands for, or the sentence that refuses it.
        case value(@Sendable (String) throws(ValidationError) -> [String])
        /// Ferry has another way: the sentence says which.
        case advice(String)
    }

    let names: [String]
    let meaning: Meaning

    init(_ names: String..., meaning: Meaning) {
        self.names = names
        self.meaning = meaning
    }

    /// Whether the next word belongs to it.
    var takesValue: Bool {
        switch meaning {
        case .option, .value: true
        case .usual, .words, .advice: false
        }
    }

    /// Ferry's own words for it.
    ///
    /// - Parameter typed: The option as it was typed.
    /// - Throws: `ValidationError` with what to type instead.
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

/// Reads a command line as people type it for curl, wget and aria2, and writes it in Ferry's own options.
///
/// An unknown option stays as it was typed: the parser refuses it.
struct TranslatedArguments {
    /// Options of `get` and `add` whose value is the next word.
    static let ownWithValue: Set<String> = [
        "--header", "--user", "--netrc-file", "--cookie", "--user-agent", "--referer", "--input-file", "--output",
        "--folder", "--checksum", "--checksums", "--on-conflict", "--priority", "--limit-rate", "--connections",
        "--mirror", "--retries", "--max-time", "--speed-limit", "--speed-time", "--session", "--tag",
        "--expected-size", "--max-size", "--max-filesize", "--cacert", "--cert", "--key", "--proxy", "--noproxy",
        "--connect-timeout", "--read-timeout", "--max-redirs", "--request", "--data", "--data-raw", "--data-binary",
        "--json-body", "--range", "--begin",
    ]
    /// Letters of the same, and of those without a value.
    static let ownLetters = (withValue: "AHXYbdeimoruxy", flags: "Ikqh")

    private var rest: ArraySlice<String>
    private var words: [String] = []

    /// - Parameter typed: What follows the name of the command.
    /// - Throws: `ValidationError` for an option that Ferry has another way for.
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
        if word.hasPrefix("--") { return try takeLong(word) }
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

    /// Takes a word such as `-fsSL`: letters without values, and at the end one that may have one.
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
            // An unknown letter leaves the word to the parser, as it was typed.
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
