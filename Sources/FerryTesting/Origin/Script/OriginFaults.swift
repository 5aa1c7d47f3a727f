/// What is wrong with a Content-Range.
package enum ContentRangeFault: Hashable, Sendable, CaseIterable {
    case missing, reversed, thirtyDigits, itemsUnit, completeTooSmall
    /// Another place of the same length: one byte before the asked one.
    case shifted
    /// One byte less than the Content-Length.
    case shortened
    /// `*` for the complete length, which is allowed.
    case starComplete

    /// The faulty value for a range of a resource; nil for none.
    package func value(for range: Range<Int64>, complete: Int64) -> String? {
        let (first, last) = (range.lowerBound, range.upperBound - 1)
        return switch self {
        case .missing: nil
        case .reversed: "bytes \(last)-\(first - 1)/\(complete)"
        case .thirtyDigits: "bytes \(first)-\(String(repeating: "9", count: 30))/\(complete)"
        case .itemsUnit: "items \(first)-\(last)/\(complete)"
        case .completeTooSmall: "bytes \(first)-\(last)/\(last)"
        case .shifted: "bytes \(first - 1)-\(last - 1)/\(complete)"
        case .shortened: "bytes \(first)-\(last - 1)/\(complete)"
        case .starComplete: "bytes \(first)-\(last)/*"
        }
    }
}

/// What a 416 says in Content-Range.
package enum UnsatisfiableFault: Hashable, Sendable, CaseIterable {
    /// The complete length.
    case complete
    /// Another complete length.
    case other
    /// No Content-Range.
    case bare
}

/// What a captive portal answers.
package enum Portal: Hashable, Sendable, CaseIterable {
    /// 200 with a page.
    case page
    /// 302 to a login page, which is a 200 with a page.
    case login
    /// 511.
    case authenticationRequired
}

/// Which field carries a digest (RFC 9530).
package enum DigestField: String, Hashable, Sendable, CaseIterable {
    case repr = "Repr-Digest"
    case content = "Content-Digest"
}

/// Whether a digest is that of the bytes.
package enum DigestTruth: Hashable, Sendable, CaseIterable {
    case right, wrong
    /// An unknown algorithm.
    case foreign
}

/// A head that is too much.
package enum HeadFlood: Hashable, Sendable {
    /// Fields without end.
    case endless
    /// One field with a value of that many bytes.
    case bigField(bytes: Int)
    case manyFields(Int)
}

/// Where a response waits for its release.
package enum HoldPoint: Hashable, Sendable {
    /// Before the head.
    case head
    /// After that many body bytes; 0 is after the head.
    case body(Int64)
    /// After the whole response, before the next request is read.
    case end
}
