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
            guard joined.isEmpty else { return !joined.allSatisfy { "LJOfsSkq#RNgnCIvZ".contains($0) } }
            // The name precedes the URL, or is standard output.
            guard let next = rest.first, !next.contains("://"), next == "-" || !next.hasPrefix("-") else {
                return false
            }
            return next == "-" || rest.dropFirst().contains { $0.contains("://") }
        default: return false
        }
    }

    /// The equivalent words for a letter with a value.
    static func words(for letter: Character, value: String) throws(ValidationError) -> [String] {
        switch letter {
        case "s": return ["--connections", value]
        case "O": return ["--output", value]
        // curl's proxy.
        case "x" where Int(value) == nil && (value.contains(":") || value.isEmpty): return ["--proxy", value]
        case "r" where !isRange(value):
            throw ValidationError(
                "-r: “\(value.escapingControls)” is not a range of bytes, such as 0-499 or 500-. Ferry does not fetch whole sites."
            )
        // curl's data.
        case "d" where value.hasPrefix("@") || value.hasPrefix("{") || value.contains("=") && !value.contains("/"):
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
