import ArgumentParser
import FerryCore

/// An option of curl, wget or aria2 that `ferry get` and `ferry add` accept, and its meaning.
struct ForeignOption: Sendable {
    enum Meaning: Sendable {
        /// Ferry's default behavior. Its opposite is refused.
        case usual
        /// No effect in Ferry, whatever its value.
        case ignored(hasValue: Bool)
        /// Equivalent to an option of Ferry's, with the same value.
        case option(String)
        /// A flag that is replaced by these words.
        case words([String])
        /// The replacement for a value, or an error message.
        case value(@Sendable (String) throws(ValidationError) -> [String])
        /// The replacement for a flag that may have a value after an equals sign, as in aria2's `--disable-ipv6=false`.
        case flag(@Sendable (String?) -> [String])
        /// Not supported. The message says what to use instead.
        case advice(String)
    }

    let names: [String]
    let meaning: Meaning

    init(_ names: String..., meaning: Meaning) {
        self.names = names
        self.meaning = meaning
    }

    /// Options of the same meaning.
    ///
    /// - Parameter names: Separated by white space.
    init(all names: String, meaning: Meaning) {
        self.names = names.split(whereSeparator: \.isWhitespace).map(String.init)
        self.meaning = meaning
    }

    /// Whether the next word is its value.
    var takesValue: Bool {
        switch meaning {
        case .option, .value: true
        case .ignored(let hasValue): hasValue
        case .usual, .words, .flag, .advice: false
        }
    }

    /// The equivalent words of Ferry's.
    ///
    /// - Parameters:
    ///   - typed: The option as typed.
    ///   - value: Its value, or for a flag the text after an equals sign, as in aria2's `--continue=true`.
    /// - Throws: `ValidationError` with the alternative.
    func words(typed: String, value: String?) throws(ValidationError) -> [String] {
        switch meaning {
        case .ignored: return []
        case .option(let name): return [name, value ?? ""]
        case .usual: return try isOn(typed, value) ? [] : refuseOff(typed)
        case .words(let words): return try isOn(typed, value) ? words : []
        case .flag(let read): return read(value)
        case .advice(let sentence):
            guard value == "false" else { throw ValidationError("\(typed): \(sentence)") }
            return []
        case .value(let read):
            do { return try read(value ?? "") } catch { throw ValidationError("\(typed): \(error.message)") }
        }
    }

    /// The equivalent of `--no-NAME`, by which curl and wget turn an option off.
    ///
    /// - Returns: Nil if it cannot be turned off in that way.
    func wordsOfOpposite(typed: String) throws(ValidationError) -> [String]? {
        switch meaning {
        case .ignored, .words, .advice: []
        case .usual: try refuseOff(typed)
        case .option, .value, .flag: nil
        }
    }

    /// The value of a flag.
    private func isOn(_ typed: String, _ value: String?) throws(ValidationError) -> Bool {
        switch value {
        case nil, "true": return true
        case "false": return false
        case let value?: throw ValidationError("\(typed) takes no value; leave “=\(value.escapingControls)” out.")
        }
    }

    private func refuseOff(_ typed: String) throws(ValidationError) -> [String] {
        throw ValidationError("\(typed): Ferry always works in that way, and cannot be told not to; leave it out.")
    }
}
