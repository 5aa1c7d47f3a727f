package import FerryFoundation

/// The delay before the next attempt: doubled with each failure, and spread so that clients do not return together.
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

/// A `Retry-After` field (RFC 9110 §10.2.3).
package struct RetryAfter: Hashable, Codable, Sendable {
    package static let minimum = 1.0
    package static let maximum = 86_400.0

    /// Seconds that the server asked for, within a second and a day.
    package let seconds: Double

    /// Reads seconds or an HTTP-date; nil for a date that is not in the future and for nonsense.
    package init?(parsing value: String, now: Date) {
        let text = value.trimmingFieldSpace
        let asked: Double
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            // More digits than a day has are the maximum, however many they are.
            asked = Double(text) ?? Self.maximum
        } else if let date = HTTPDate.parse(text), date > now {
            asked = date.timeIntervalSince(now)
        } else {
            return nil
        }
        seconds = min(max(asked, Self.minimum), Self.maximum)
    }

    /// Seconds to wait: what was asked for and up to a tenth more.
    ///
    /// - Parameter random: a number from 0 up to 1.
    package func delay(random: Double) -> Double { seconds * (1 + 0.1 * random) }
}

/// When and why a transfer is tried again; survives the daemon.
package struct RetryPlan: Hashable, Codable, Sendable {
    /// Planned wall time.
    package var at: Date
    /// Seconds between the failure and the next attempt.
    package var delay: Double
    package var reason: WaitReason
    package var error: ServiceError

    package init(at: Date, delay: Double, reason: WaitReason, error: ServiceError) {
        self.at = at
        self.delay = delay
        self.reason = reason
        self.error = error
    }

    /// The plan without its error.
    package var moment: RetryMoment { RetryMoment(at: at, delay: delay, reason: reason) }
}

/// When a transfer that failed is tried again, and what it waits for until then.
package struct RetryMoment: Hashable, Sendable {
    /// Planned wall time.
    package var at: Date
    /// Seconds between the failure and the next attempt.
    package var delay: Double
    package var reason: WaitReason

    package init(at: Date, delay: Double, reason: WaitReason) {
        self.at = at
        self.delay = delay
        self.reason = reason
    }

    /// Seconds left after a restart: a wall clock that was set back never lengthens the wait.
    package func rest(now: Date) -> Double { max(0, min(at.timeIntervalSince(now), delay)) }
}
