import FerryFoundation

/// Exponential backoff: delays that grow with each failure, up to a longest one. In seconds, without jitter.
package struct Backoff: Hashable, Sendable {
    /// The delay after the first failure.
    package var first: Double
    /// Maximum delay.
    package var longest: Double
    /// Factor between a delay and the next. Below 1 counts as 1.
    package var multiplier: Double

    package init(first: Double, longest: Double, multiplier: Double = 2) {
        self.first = first
        self.longest = longest
        self.multiplier = multiplier
    }

    /// The delay after consecutive failures, of which there is at least one.
    package func delay(afterFailures count: Int) -> Double {
        // Zero times infinity is not a number, so growth stays finite.
        let growth = min(pow(max(1, multiplier), Double(min(max(count, 1) - 1, 1000))), 1e18)
        return max(0, min(longest, first * growth))
    }

    /// The delay that follows a delay.
    package func delay(after delay: Double) -> Double { max(0, min(longest, delay * max(1, multiplier))) }
}
