import ArgumentParser
import FerryCore

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
        "--json-body", "--range", "--begin", "--min-tls",
    ]
    /// Options of `get` and `add` without a value.
    static let ownFlags: Set<String> = [
        "--glob", "--password-stdin", "--location-trusted", "--auth-no-challenge", "--continue-file",
        "--continue-unproven", "--fail-when-full", "--remote-time", "--insecure", "--https-only", "--allow-downgrade",
        "--allow-private-redirects", "--ipv4", "--ipv6", "--compressed", "--new", "--head", "--quiet", "--json",
        "--paused",
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

    /// The names that `-o`, or wget's `-O`, has given.
    private var outputs: Set<String> = []

    /// - Throws: `ValidationError` for two different names, of which one would be lost: wget's `-o` is its log.
    private mutating func note(_ found: [String]) throws(ValidationError) {
        guard found.count > 1, ["-o", "--output"].contains(found[found.count - 2]) else { return }
        outputs.insert(found[found.count - 1])
        guard outputs.count < 2 else {
            throw ValidationError(
                "-o names one file, and is given twice: run a command for each file. wget's -o, its log, is 2> FILE."
            )
        }
    }

    private mutating func take(_ word: String) throws(ValidationError) {
        let before = words.count
        if Self.isUnsafeAmount(word) {
            throw ValidationError(
                "\(word.escapingControls): -k turns the verification of certificates off and has no value. "
                    + "If you mean aria2's -k, the size of pieces, leave it out: Ferry chooses it.")
        }
        if word.hasPrefix("--") { try takeLong(word) } else { try takeShort(word) }
        try note(Array(words[before...]))
        try UnsafeFlags.check(words[before...], typed: word, before: rest.first)
    }

    /// aria2's size of pieces, as in `-k1M`.
    private static func isUnsafeAmount(_ word: String) -> Bool {
        word.hasPrefix("-k") && word.dropFirst(2).first?.isNumber == true
    }

    private mutating func takeShort(_ word: String) throws(ValidationError) {
        guard word.hasPrefix("-"), word.utf8.count > 1 else { return words.append(word) }
        if let habit = ForeignOptionTable.words[word], word.utf8.count > 2 {
            words += try habit.words(typed: word, value: nil)
            return
        }
        try takeLetters(word)
    }

    private mutating func takeLong(_ word: String) throws(ValidationError) {
        let equals = word.firstIndex(of: "=")
        let name = String(equals.map { word[..<$0] } ?? word[...])
        let given = equals.map { String(word[word.index(after: $0)...]) }
        try Self.checkJSON(name, given ?? rest.first)
        guard let habit = ForeignOptionTable.option(name) else {
            if given == nil, let opposite = try ForeignOptionTable.opposite(name) {
                words += opposite
                return
            }
            // aria2 writes truth values of all its flags.
            if Self.ownFlags.contains(name), let given, ["true", "false"].contains(given) {
                if given == "true" { words.append(name) }
                return
            }
            guard Self.ownWithValue.contains(name) else { return words.append(word) }
            guard let value = given ?? rest.popFirst() else { return words.append(name) }
            // As two words, since the parser would take the word after `--NAME=` for the value.
            words += given?.hasPrefix("-") == true ? [word] : [name, value]
            return
        }
        guard habit.takesValue else {
            words += try habit.words(typed: name, value: given)
            return
        }
        // In another program it may be a flag.
        if case .ignored = habit.meaning, given == nil, rest.first?.contains("://") == true { return }
        guard let value = given ?? rest.popFirst() else { throw ValidationError("\(name) needs a value.") }
        words += try habit.words(typed: name, value: value)
    }

    /// curl's `--json` has a value, which would be taken for a URL.
    private static func checkJSON(_ name: String, _ value: String?) throws(ValidationError) {
        guard name == "--json", let value, let first = value.first, "{[@\"".contains(first) else { return }
        let shown = value.count < 40 ? "'\(value.escapingControls)'" : "BODY"
        throw ValidationError("--json prints the transfers as JSON; --json-body \(shown) sends a body.")
    }

    /// Translates a word of combined flags such as `-fsSL`, of which the last may have a value.
    private mutating func takeLetters(_ word: String) throws(ValidationError) {
        var found: [String] = []
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let option = "-\(letter)"
            // wget's flags of two letters.
            if letter == "n", let next = letters.first, let pair = ForeignOptionTable.words["-n\(next)"] {
                letters.removeFirst()
                found += try pair.words(typed: "-n\(next)", value: nil)
                continue
            }
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
                found += try habit.words(typed: option, value: nil)
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
