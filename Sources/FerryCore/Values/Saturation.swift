/// Arithmetic that ends at the largest number instead of ending the process.
extension FixedWidthInteger {
    /// The sum, or the nearest number that there is.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The quotient of two positive numbers, rounded up.
    package func dividedRoundingUp(by other: Self) -> Self { self / other + (self % other > 0 ? 1 : 0) }

    /// The product, or the nearest number that there is.
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Int64 {
    /// Nanoseconds since 1970 of a moment as a file system tells it: a file may be dated to any year, and 2262 is the last
    /// one that this number holds.
    package init(seconds: Int, nanoseconds: Int) {
        self = Int64(seconds).multipliedSaturated(by: 1_000_000_000).addingSaturated(Int64(nanoseconds))
    }
}

extension Duration {
    /// A wait of so many seconds: none for less than nothing and what is not a number, at most the hundred years that stand
    /// for no end.
    package static func wait(seconds: Double) -> Duration {
        .seconds(seconds > 0 ? min(seconds, TransferMachine.untilAnswered) : 0)
    }
}
