import FerryCore

/// The form of an option's value, with its limits.
///
/// The limits were measured on aria2c 1.36 by passing it the same twelve texts for each option.
enum OptionForm: Hashable, Sendable {
    /// `true`, `false`, or empty, which means `true`.
    case flag
    case whole(ClosedRange<Int>)
    /// A number of bytes. The suffix K multiplies by 1024, M by 1024².
    case size(ClosedRange<Int64>)
    /// A non-negative number. Text that is not a number counts as 0.
    case decimal
    case word([String])
    /// A file's number and name, such as `1=name`.
    case indexed
    /// File numbers and ranges, such as `1-3,5`. May be empty.
    case ranges
    case text

    /// Returns the value as aria2 stores and shows it, or `nil` if it is invalid.
    func canonical(_ text: String) -> String? {
        switch self {
        case .flag: text.isEmpty ? "true" : ["true", "false"].contains(text) ? text : nil
        case .whole(let allowed): Int(text).flatMap { allowed.contains($0) ? $0.description : nil }
        case .size(let allowed): Self.bytes(text).flatMap { allowed.contains($0) ? $0.description : nil }
        case .decimal: Double(text).map { $0 >= 0 } ?? true ? text : nil
        case .word(let words): words.contains(text) ? text : nil
        case .indexed: Self.isIndexed(text) ? text : nil
        case .ranges: Self.areRanges(text) ? text : nil
        case .text: text
        }
    }

    /// Parses a number of bytes with an optional suffix. Returns `nil` if the text is invalid.
    static func bytes(_ text: String) -> Int64? {
        let unit: Int64
        switch text.utf8.last {
        case UInt8(ascii: "k"), UInt8(ascii: "K"): unit = 1 << 10
        case UInt8(ascii: "m"), UInt8(ascii: "M"): unit = 1 << 20
        default: unit = 1
        }
        guard let number = Int64(unit == 1 ? text[...] : text.dropLast()), number >= 0 else { return nil }
        return number.multipliedSaturated(by: unit)
    }

    private static func isIndexed(_ text: String) -> Bool {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return halves.count == 2 && isFileNumber(halves[0]) && !halves[1].isEmpty
    }

    private static func areRanges(_ text: String) -> Bool {
        text.isEmpty
            || text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { part in
                let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                return ends.count <= 2 && ends.allSatisfy(isFileNumber)
            }
    }

    private static func isFileNumber(_ text: Substring) -> Bool {
        Int(text).map { (1...1_048_576).contains($0) } ?? false
    }
}
