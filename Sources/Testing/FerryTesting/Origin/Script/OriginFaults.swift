/// A fault in Content-Range.
package enum ContentRangeFault: Hashable, Sendable, CaseIterable {
    case missing, reversed, thirtyDigits, itemsUnit, completeTooSmall
    /// A range of the same length, one byte before the requested one.
    case shifted
    /// A range one byte shorter than the Content-Length.
    case shortened
    /// `*` as the complete length, which is allowed.
    case starComplete

    /// Returns the faulty value for a range of a resource, or `nil` to omit the field.
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

/// The Content-Range of a 416.
package enum UnsatisfiableFault: Hashable, Sendable, CaseIterable {
    /// The complete length.
    case complete
    /// A wrong complete length.
    case other
    /// No Content-Range.
    case bare
}

/// The response of a captive portal.
package enum Portal: Hashable, Sendable, CaseIterable {
    /// 200 with a page.
    case page
    /// 302 to a login page, which is a 200 with a page.
    case login
    /// 511.
    case authenticationRequired
}

/// The field that carries a digest (RFC 9530).
package enum DigestField: String, Hashable, Sendable, CaseIterable {
    case repr = "Repr-Digest"
    case content = "Content-Digest"
}

/// Whether a digest matches the bytes.
package enum DigestTruth: Hashable, Sendable, CaseIterable {
    case right, wrong
    /// An unknown algorithm.
    case foreign
}

/// An oversized head.
package enum HeadFlood: Hashable, Sendable {
    /// Fields without end.
    case endless
    /// One field with a value of this many bytes.
    case bigField(bytes: Int)
    case manyFields(Int)
}

/// The point at which a response waits for its release.
package enum HoldPoint: Hashable, Sendable {
    /// Before the head.
    case head
    /// After this many body bytes. 0 is directly after the head.
    case body(Int64)
    /// After the whole response, before the next request is read.
    case end
}
