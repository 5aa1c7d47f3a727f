import ArgumentParser
import FerryCore

extension ConflictPolicy: ExpressibleByArgument {
    static let help = ArgumentHelp(
        "If the file exists: unique adds a number, fail fetches nothing and fails, replace replaces it, skip keeps it, update replaces it if the server has another version.",
        valueName: "policy")
}

extension Priority: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }

    package var defaultValueDescription: String { word }
}

extension CompletionKind {
    /// The named priorities.
    static var priorities: CompletionKind { .list([Priority.low, .normal, .high].map(\.word)) }
}

extension Priority {
    /// - Throws: `ValidationError` for an invalid priority.
    @Sendable static func typed(_ text: String) throws -> Priority {
        guard let priority = Priority(word: text) else {
            throw ValidationError("“\(text.escapingControls)” is not low, normal, high or a number from -10 to 10.")
        }
        return priority
    }
}

/// A number of bytes, or bytes per second, with curl's units: `500k` is 500 × 1024, `8M` is 8 × 1024².
package enum ByteAmount {
    /// - Throws: `ValidationError` for anything but a number with an optional unit, and for more than 63 bits.
    package static func parse(_ text: String) throws -> Int64 {
        guard let amount = read(text) else {
            throw ValidationError(
                "“\(text.escapingControls)” is not a number of bytes; write it as 800000, 500k, 8M or 1.5G.")
        }
        return amount
    }

    /// Parses bytes per second.
    ///
    /// - Throws: As ``parse(_:)``, and for a rate below the minimum.
    @Sendable static func rate(_ text: String) throws -> Int64 {
        let rate = try parse(text)
        guard SettingRange<Int64>.rateLimit.contains(rate) else {
            throw ValidationError("“\(text.escapingControls)” is too slow; write at least 1k, or 0 for no limit.")
        }
        return rate
    }

    private static func read(_ text: String) -> Int64? {
        var rest = text[...]
        for ending in ["iB", "B"] where rest.hasSuffix(ending) {
            rest = rest.dropLast(ending.count)
            break
        }
        var shift = 0
        if let unit = rest.last, let position = "kmgt".firstIndex(of: Character(unit.lowercased())) {
            shift = 10 * ("kmgt".distance(from: "kmgt".startIndex, to: position) + 1)
            rest = rest.dropLast()
        } else if rest.count < text.count, text.hasSuffix("iB") {
            return nil
        }
        guard let first = rest.utf8.first, first.isDigit,
            rest.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        if let whole = Int64(rest) {
            let (amount, overflow) = whole.multipliedReportingOverflow(by: 1 << shift)
            return overflow ? nil : amount
        }
        guard let number = Double(rest) else { return nil }
        return Int64(exactly: (number * Double(Int64(1) << shift)).rounded(.down))
    }
}

/// Parses numbers with a range.
enum NumberArgument {
    /// - Throws: `ValidationError` for anything but an integer in range.
    static func whole(_ range: SettingRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                throw ValidationError("“\(text.escapingControls)” is not a number from \(range.words).")
            }
            return number
        }
    }

    /// - Parameter words: The range as text.
    /// - Throws: `ValidationError` for anything but seconds in range.
    static func seconds(
        _ range: SettingRange<Double>, _ words: String = "above 0"
    ) -> @Sendable (String) throws -> Double {
        { text in
            guard let number = Double(text), range.contains(number) else {
                throw ValidationError("“\(text.escapingControls)” is not a number of seconds \(words).")
            }
            return number
        }
    }
}

/// Parses `Name: value`.
enum HeaderArgument {
    /// - Throws: `ValidationError` without a colon, or without a name.
    static func parse(_ text: String) throws -> HeaderField {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
            throw ValidationError("“\(text.escapingControls)” is not a header field; write it as 'Name: value'.")
        }
        let value = text[text.index(after: colon)...]
        return HeaderField(name: String(text[..<colon]), value: trimmed(value))
    }

    // Whitespace around a field's value is not part of it (RFC 9110 §5.5).
    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}

extension UInt8 {
    /// Whether this is an ASCII digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// The lines of a text, including empty ones. Accepts CRLF.
struct TextLines: Sequence {
    private let lines: [Substring]

    init(_ text: String) {
        // CRLF is a single Character.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    func makeIterator() -> IndexingIterator<[Substring]> { lines.makeIterator() }
}
