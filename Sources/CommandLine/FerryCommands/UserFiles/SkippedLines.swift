import FerryCore

/// The lines of a user's file that were skipped because they cannot be read.
///
/// A line that the command needs is an error instead. A remark names lines by number only: they may be secret.
struct SkippedLines: Equatable {
    private var numbers: [Int] = []

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }

    mutating func append(_ number: Int) { numbers.append(number) }

    /// A sentence for the user, or nil if no line was skipped.
    ///
    /// - Parameters:
    ///   - kind: What a line should have been, such as “a cookie”.
    func remark(_ path: String, kind: String) -> String? {
        guard let first = numbers.first else { return nil }
        let file = "“\(path.escapingControls)”"
        if numbers.count == 1 { return "Line \(first) of \(file) is not \(kind) and was skipped." }
        let named = numbers.prefix(5).map(String.init).joined(separator: ", ")
        let others = numbers.count > 5 ? ", …" : ""
        return "\(numbers.count) lines of \(file) are not \(kind) and were skipped: \(named)\(others)."
    }
}
