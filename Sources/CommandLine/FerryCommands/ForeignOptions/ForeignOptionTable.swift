import ArgumentParser
import FerryCore

/// The accepted options of other programs, by name.
enum ForeignOptionTable {
    static let words: [String: ForeignOption] = {
        var table: [String: ForeignOption] = [:]
        for habit in all { for name in habit.names { table[name] = habit } }
        return table
    }()

    private static let all = accepted + renamed + refused

    /// An option by its name, or by the beginning of it.
    static func option(_ name: String) -> ForeignOption? {
        if let known = words[name] { return known }
        return families.first { name.hasPrefix($0.start) }.map { ForeignOption(name, meaning: $0.meaning) }
    }

    /// The equivalent of a `--no-NAME`.
    ///
    /// - Returns: Nil if there is no such NAME, or it cannot be turned off.
    static func opposite(_ name: String) throws(ValidationError) -> [String]? {
        guard name.hasPrefix("--no-"), let option = option("--" + name.dropFirst(5)) else { return nil }
        return try option.wordsOfOpposite(typed: name)
    }

    // MARK: Letters

    /// Whether a letter, a flag in one program, has a value as in another: `-s 16` is aria2's, `-O name` wget's.
    static func mayHaveValue(_ letter: Character, joined: Substring, _ rest: ArraySlice<String>) -> Bool {
        switch letter {
        case "s": return isNumber(joined.isEmpty ? rest.first ?? "" : String(joined))
        case "O":
            guard joined.isEmpty else { return !isCluster(joined) }
            // The name precedes the URL, or is standard output.
            guard let next = rest.first, !next.contains("://"), next == "-" || !next.hasPrefix("-") else {
                return false
            }
            return next == "-" || rest.dropFirst().contains { $0.contains("://") }
        default: return false
        }
    }

    /// Whether the letters after curl's `-O` are further options, as in `-OL`, `-OC-` and `-OLm 10`, and not a name.
    private static func isCluster(_ joined: Substring) -> Bool {
        let flags = joined.prefix { "LJOfsSkq#RNgnIvZ".contains($0) }
        let rest = joined.dropFirst(flags.count)
        return rest.isEmpty || rest == "C-" || rest.count == 1 && joined.count <= 3 && "CmuHAebrxXYy".contains(rest)
    }

    /// Refuses a URL as the value of an option that takes none: in wget and aria2 some of these letters are flags.
    private static func checkURL(_ letter: Character, _ value: String) throws(ValidationError) {
        let meaning: String? =
            switch letter {
            case "H": "-H is a header field; wget's -H, for links to other hosts, is not supported"
            case "E": "-E is a certificate; wget's -E, for the names of web pages, is not supported"
            case "b": "-b is a cookie; wget's -b is ferry add"
            case "P": "-P is a folder; aria2's -P is --glob"
            case "d": "-d is a folder; --data sends a body"
            case "i": "-i is a list in a file"
            default: nil
            }
        guard let meaning, value.hasPrefix("http://") || value.hasPrefix("https://") else { return }
        throw ValidationError("\(meaning), and \(HTTPURL.shown(value)) looks like a URL.")
    }

    /// The equivalent words for a letter with a value.
    static func words(for letter: Character, value: String) throws(ValidationError) -> [String] {
        try checkURL(letter, value)
        switch letter {
        case "P" where value.hasPrefix("-"):
            throw ValidationError("-P needs a folder; aria2's -P is --glob.")
        // wget's command.
        case "e" where value.contains("=") && !value.prefix { $0 != "=" }.contains(where: { ":/".contains($0) }):
            throw ValidationError(
                "-e is the referer, and “\(value.escapingControls)” is a command of wget's; see --proxy and ferry get --help."
            )
        // wget's flag before a URL.
        case "x" where value.firstRange(of: "://").map({ value[$0.upperBound...].drop { $0 != "/" }.count > 1 }) == true:
            throw ValidationError(
                "-x is a proxy or a number of connections; \(HTTPURL.shown(value)) has a path, as a file has and a proxy has not."
            )
        case "s": return ["--connections", value]
        case "O": return ["--output", value]
        // curl's proxy.
        case "x" where Int(value) == nil && (value.contains(":") || value.isEmpty): return ["--proxy", value]
        case "r" where !isRange(value):
            throw ValidationError(
                "-r: “\(value.escapingControls)” is not a range of bytes, such as 0-499 or 500-. Ferry does not fetch whole sites."
            )
        // curl's data.
        case "d" where value.hasPrefix("@") || value.hasPrefix("{") || value.prefix { $0 != "/" }.contains("="):
            throw ValidationError(
                "-d is the folder, and “\(value.escapingControls)” looks like data: --data sends it, --folder uses it as a folder."
            )
        default: break
        }
        let option = "-\(letter)"
        guard let habit = words[option] else { return [option, value] }
        return try habit.words(typed: option, value: value)
    }

    private static func isNumber(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isDigit) }

    private static func isRange(_ text: String) -> Bool {
        text.contains("-") && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}
