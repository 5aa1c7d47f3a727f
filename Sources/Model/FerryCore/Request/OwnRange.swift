/// The single byte range of a caller's `Range` field (RFC 9110 §14.1.2).
package enum OwnRange: Hashable, Sendable {
    /// From a position to a last position, or to the end.
    case from(Int64, to: Int64?)
    /// The last bytes, by number.
    case suffix(Int64)

    /// Parses `bytes=a-b`, `bytes=a-` or `bytes=-n`. Returns nil for several ranges, other units and invalid values.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        let upper = Int64(digits: bounds[1])
        if bounds[0].isEmpty {
            guard let upper, upper > 0 else { return nil }
            self = .suffix(upper)
        } else {
            guard let lower = Int64(digits: bounds[0]), upper != nil || bounds[1].isEmpty,
                upper.map({ lower <= $0 }) ?? true
            else { return nil }
            self = .from(lower, to: upper)
        }
    }

    package var fieldValue: String {
        switch self {
        case .from(let first, let last): "bytes=\(first)-\(last.map(String.init) ?? "")"
        case .suffix(let length): "bytes=-\(length)"
        }
    }

    /// Start of the file in the resource, or nil if it depends on an unknown complete length.
    package func start(completeLength: Int64?) -> Int64? {
        switch self {
        case .from(let first, _): first
        case .suffix(let length): completeLength.map { max(0, $0 - length) }
        }
    }

    /// The last position of the file in the resource, if the range states one.
    package var last: Int64? {
        switch self {
        case .from(_, let last): last
        case .suffix: nil
        }
    }
}
