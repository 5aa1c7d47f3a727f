package import FerryCore
package import FerryFoundation

/// The delay before the next attempt: exponential backoff with jitter.
package enum RetryDelay {
    /// Delay in seconds after the n-th failure since the last stored byte.
    ///
    /// - Parameters:
    ///   - rule: The client's own rule. Nil for the default.
    ///   - random: A random number in 0..<1, for the jitter.
    package static func seconds(afterFailures count: Int, rule: RetryRule? = nil, random: Double) -> Double {
        let rule = rule ?? RetryRule()
        let spread = min(max(rule.jitter, 0), 1)
        return rule.backoff.delay(afterFailures: count) * (1 - spread + 2 * spread * random)
    }
}

/// A `Retry-After` field (RFC 9110 §10.2.3).
package struct RetryAfter: Hashable, Codable, Sendable {
    package static let minimum = 1.0
    package static let maximum = 86_400.0

    /// Requested seconds, clamped to between a second and a day.
    package let seconds: Double

    /// Parses seconds or an HTTP-date. Returns nil for a date that is not in the future and for invalid values.
    package init?(parsing value: String, now: Date) {
        let text = value.trimmingFieldSpace
        let asked: Double
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            // More digits than a day has mean the maximum.
            asked = Double(text) ?? Self.maximum
        } else if let date = HTTPDate.parse(text), date > now {
            asked = date.timeIntervalSince(now)
        } else {
            return nil
        }
        seconds = min(max(asked, Self.minimum), Self.maximum)
    }

    /// Delay in seconds: the requested time plus up to a tenth.
    ///
    /// - Parameter random: A random number in 0..<1.
    package func delay(random: Double) -> Double { seconds * (1 + 0.1 * random) }
}

/// The time and reason of the next attempt. Persistent.
package struct RetryPlan: Hashable, Codable, Sendable {
    /// Planned date by the wall clock.
    package var at: Date
    /// Seconds between failure and next attempt.
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

/// The time of the next attempt, and the wait reason until then.
package struct RetryMoment: Hashable, Sendable {
    /// Planned date by the wall clock.
    package var at: Date
    /// Seconds between failure and next attempt.
    package var delay: Double
    package var reason: WaitReason

    package init(at: Date, delay: Double, reason: WaitReason) {
        self.at = at
        self.delay = delay
        self.reason = reason
    }

    /// Remaining seconds after a restart. Setting the wall clock back never lengthens the wait.
    package func rest(now: Date) -> Double { max(0, min(at.timeIntervalSince(now), delay)) }
}
