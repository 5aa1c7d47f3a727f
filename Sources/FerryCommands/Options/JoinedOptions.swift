/// Short options with their values in the same word, as `-HName: a=b`.
///
/// The parser of options takes an equals sign in such a word for the end of the option's name.
enum JoinedOptions {
    /// The short options that have values.
    private static let letters: Set<Character> = ["A", "H", "b", "d", "e", "i", "m", "o", "u", "x"]

    static func separated(_ words: [String]) -> [String] {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        return words[..<end].flatMap { word -> [String] in
            guard word.contains("="), word.hasPrefix("-"), let letter = word.dropFirst().first,
                letters.contains(letter),
                word.dropFirst(2).first != "="
            else { return [word] }
            return ["-\(letter)", String(word.dropFirst(2))]
        } + words[end...]
    }
}
