/// Why the answer to a request is the file, whatever the answer is (docs/behaviour/transfers.md#Q5).
package enum RawRequest: Hashable, Sendable {
    /// The method, or a field of the caller's, makes any answer final: no resume, no segments.
    case verbatim
    /// The caller gave one byte range: the file is that part.
    case ownRange(OwnRange)
}

/// The one byte range that a caller's `Range` field asks for (RFC 9110 §14.1.2).
package enum OwnRange: Hashable, Sendable {
    /// From a position to a last position, or to the end.
    case from(Int64, to: Int64?)
    /// The last bytes.
    case suffix(Int64)

    /// Reads `bytes=a-b`, `bytes=a-` or `bytes=-n`; nil for several ranges, other units and nonsense.
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

    /// Where the file begins in the resource; nil if that depends on a complete length that is not known.
    package func start(completeLength: Int64?) -> Int64? {
        switch self {
        case .from(let first, _): first
        case .suffix(let length): completeLength.map { max(0, $0 - length) }
        }
    }

    /// The last position of the resource that belongs to the file, where the range states one.
    package var last: Int64? {
        switch self {
        case .from(_, let last): last
        case .suffix: nil
        }
    }
}
