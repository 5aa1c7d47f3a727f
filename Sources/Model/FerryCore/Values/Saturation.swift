/// Saturating arithmetic.
extension FixedWidthInteger {
    /// The saturated sum.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The quotient of two positive numbers, rounded up.
    package func dividedRoundingUp(by other: Self) -> Self { self / other + (self % other > 0 ? 1 : 0) }

    /// The saturated product.
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Int64 {
    /// Nanoseconds since 1970, saturated: file systems allow dates beyond 2262, the last year that fits.
    package init(seconds: Int, nanoseconds: Int) {
        self = Int64(seconds).multipliedSaturated(by: 1_000_000_000).addingSaturated(Int64(nanoseconds))
    }
}

extension Duration {
    /// A hundred years in seconds, which stands for no end.
    package static let endless = 100.0 * 365 * 86_400

    /// A duration in seconds. Zero for negative numbers and NaN, at most ``endless``.
    package static func wait(seconds: Double) -> Duration {
        .seconds(seconds > 0 ? min(seconds, endless) : 0)
    }
}
