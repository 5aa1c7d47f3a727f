// Ferry: FerryCore
// Which part of a resource a response holds.

/// The value of a `Content-Range` field in bytes (RFC 9110 §14.4).
package enum ContentRange: Hashable, Sendable {
    /// `bytes first-last/complete`; `complete` is nil for `*`.
    case part(first: Int64, last: Int64, complete: Int64?)
    /// `bytes */complete`, which a 416 carries.
    case unsatisfied(complete: Int64)

    /// Reads a field value; nil for whatever is not one of the two forms.
    ///
    /// Numbers have at most 18 digits, so that no sum of two of them can overflow.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let complete = Int64(digits: halves[1])
        guard complete != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let complete else { return nil }
            self = .unsatisfied(complete: complete)
            return
        }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Int64(digits: bounds[0]), let last = Int64(digits: bounds[1]),
            first <= last, complete.map({ last < $0 }) ?? true
        else { return nil }
        self = .part(first: first, last: last, complete: complete)
    }

    /// The complete length that the field states.
    package var complete: Int64? {
        switch self {
        case .part(_, _, let complete): complete
        case .unsatisfied(let complete): complete
        }
    }
}

extension Int64 {
    /// A number of 1 to 18 decimal digits and nothing else.
    init?(digits text: some StringProtocol) {
        guard 1...18 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self.init(text)
    }
}
