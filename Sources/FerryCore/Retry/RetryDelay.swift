// Ferry: FerryCore
// How long to wait after a failure.

import Foundation

/// The delay before the next try: doubled with each failure, and spread so that clients do not return together.
package enum RetryDelay {
    /// The longest delay in seconds, before it is spread.
    package static let maximum = 300.0

    /// Seconds to wait by the client's own rule, or by the usual one.
    package static func seconds(afterFailures count: Int, rule: RetryRule?, random: Double) -> Double {
        guard let rule else { return seconds(afterFailures: count, random: random) }
        // Zero times infinity is no number: what grows beyond every delay stays finite.
        let factor = min(pow(max(1, rule.multiplier), Double(min(max(count, 1) - 1, 1000))), 1e18)
        let grown = rule.initialDelay * factor
        let spread = min(max(rule.jitter, 0), 1)
        return max(0, min(rule.maximumDelay, grown)) * (1 - spread + 2 * spread * random)
    }

    /// Seconds to wait after the n-th failure since the last stored byte.
    ///
    /// - Parameter random: a number from 0 up to 1; spreads the delay by 20 % to both sides.
    package static func seconds(afterFailures count: Int, random: Double) -> Double {
        // 2^9 s is beyond the maximum, so a larger exponent says nothing.
        let exponent = min(max(count, 1) - 1, 9)
        return min(maximum, Double(1 << exponent)) * (0.8 + 0.4 * random)
    }
}
