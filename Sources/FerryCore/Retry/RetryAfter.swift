// Ferry: FerryCore
// What a server asked for when it said "later".

package import Foundation

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
