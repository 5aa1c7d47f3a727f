import ArgumentParser
import FerryCore

/// Flags that lower safety, and are options with a value in another program.
///
/// `-k` turns the verification of certificates off, and `-k 1M` is aria2's size of pieces: a habit must not have such an
/// effect unnoticed.
enum UnsafeFlags {
    /// Each flag in its forms after translation, and its effect.
    private static let effects = [
        "-k": "turns the verification of certificates off", "--insecure": "turns the verification of certificates off",
        "--allow-downgrade": "lets a server redirect from https to http",
    ]

    /// - Parameters:
    ///   - words: The translation of a word.
    ///   - typed: The word.
    ///   - next: The word after it.
    /// - Throws: `ValidationError` if the word sets such a flag, and looks like an option with a value.
    static func check(
        _ words: ArraySlice<String>, typed: String, before next: String?
    ) throws(ValidationError) {
        guard let effect = words.compactMap({ effects[$0] }).first, let next, isValue(next) else { return }
        let typed = typed.escapingControls
        let sentence = "\(typed) \(effect) and has no value, but “\(next.escapingControls)” looks like one"
        let advice =
            typed.hasSuffix("k")
            ? "If you mean aria2's -k, the size of pieces, leave both out: Ferry chooses it."
            : "Leave the value out, or both."
        throw ValidationError("\(sentence). \(advice)")
    }

    /// Whether a word is a number, an amount such as `20M`, or a truth value. None of them is a URL.
    private static func isValue(_ word: String) -> Bool {
        let text = word.lowercased()
        if ["true", "false", "yes", "no", "on", "off"].contains(text) { return true }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return !digits.isEmpty
            && ["", "b", "k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib"].contains(
                text.dropFirst(digits.count))
    }
}
