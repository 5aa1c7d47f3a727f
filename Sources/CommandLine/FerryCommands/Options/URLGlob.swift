import ArgumentParser
import FerryCore

/// A URL pattern as in curl: `{a,b}` for alternatives, `[1-100]`, `[001-100]` and `[a-z]` for ranges, and `[0-100:10]`
/// with a step. A backslash escapes a brace or bracket.
struct URLGlob {
    private enum Part {
        case text(String)
        case words([String])
        case numbers(first: Int, count: Int, step: Int, width: Int)
        case letters(first: UInt8, count: Int, step: Int)

        var count: Int {
            switch self {
            case .text: 1
            case .words(let words): words.count
            case .numbers(_, let count, _, _), .letters(_, let count, _): count
            }
        }

        subscript(_ index: Int) -> String {
            switch self {
            case .text(let text): return text
            case .words(let words): return words[index]
            case .numbers(let first, _, let step, let width):
                let digits = String(first + index * step)
                return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
            case .letters(let first, _, let step):
                return String(UnicodeScalar(first + UInt8(index * step)))
            }
        }
    }

    /// Maximum number of URLs of one pattern.
    static let most = 1_000_000

    private let parts: [Part]
    /// Number of URLs.
    let count: Int

    /// - Throws: `ValidationError` for an unclosed brace or bracket, an invalid range, and more than a million URLs.
    init(_ url: String) throws {
        var parts: [Part] = []
        var text: [UInt8] = []
        var rest = url.utf8[...]
        func fault(_ what: String) -> ValidationError { ValidationError("“\(url.escapingControls)” \(what).") }
        func end(_ part: Part) {
            parts += [.text(String(decoding: text, as: UTF8.self)), part]
            text = []
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                let isEscape = rest.first.map { "{}[],\\".utf8.contains($0) } ?? false
                text.append(isEscape ? rest.removeFirst() : byte)
            case UInt8(ascii: "{"):
                guard let close = rest.firstIndex(of: UInt8(ascii: "}")) else { throw fault("has a { without its }") }
                let words = rest[..<close].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                guard !rest[..<close].contains(UInt8(ascii: "{")) else { throw fault("has braces within braces") }
                end(.words(words.map { String(Substring($0)) }))
                rest = rest[rest.index(after: close)...]
            case UInt8(ascii: "["):
                guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { throw fault("has a [ without its ]") }
                let inside = String(Substring(rest[..<close]))
                rest = rest[rest.index(after: close)...]
                if let range = Self.range(inside) {
                    end(range)
                } else if text.suffix(3).elementsEqual("://".utf8) || text.last == UInt8(ascii: "@") {
                    // An IPv6 address (RFC 3986 §3.2.2).
                    text += "[\(inside)]".utf8
                } else {
                    throw fault("has [\(inside.escapingControls)], which is not a range such as [1-100] or [a-z:2]")
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                throw fault("has an unmatched \(Character(UnicodeScalar(byte))); write a backslash before it")
            default: text.append(byte)
            }
        }
        parts.append(.text(String(decoding: text, as: UTF8.self)))
        var count = 1
        for part in parts {
            let (product, overflows) = count.multipliedReportingOverflow(by: part.count)
            guard !overflows, product <= Self.most else {
                throw fault(
                    "stands for more than \(Self.most) URLs; give them in several commands, or as a file with -i")
            }
            count = product
        }
        self.parts = parts
        self.count = count
    }

    /// All URLs. The last part varies fastest.
    var urls: [String] {
        (0..<count).map { number in
            var (rest, pieces) = (number, [String]())
            for part in parts.reversed() {
                pieces.append(part[rest % part.count])
                rest /= part.count
            }
            return pieces.reversed().joined()
        }
    }

    /// Parses the range between brackets, or returns nil.
    private static func range(_ text: String) -> Part? {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let step = halves.count > 1 ? number(halves[1]) : 1
        guard ends.count == 2, let step, step > 0 else { return nil }
        if let first = number(ends[0]), let last = number(ends[1]) {
            guard first <= last else { return nil }
            let width = ends[0].hasPrefix("0") ? ends[0].utf8.count : 0
            return .numbers(first: first, count: min((last - first) / step, most) + 1, step: step, width: width)
        }
        guard let first = letter(ends[0]), let last = letter(ends[1]), first <= last,
            (first >= UInt8(ascii: "a")) == (last >= UInt8(ascii: "a"))
        else { return nil }
        return .letters(first: first, count: Int(last - first) / step + 1, step: step)
    }

    private static func number(_ text: String) -> Int? {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
        return isNumber ? Int(text) : nil
    }

    private static func letter(_ text: String) -> UInt8? {
        guard let byte = text.utf8.first, text.utf8.count == 1 else { return nil }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter ? byte : nil
    }
}
