// Ferry: FerryAPI
// Dates as text.

import Foundation

/// Writes dates as RFC 3339 in UTC with milliseconds, and reads them with or without a fraction.
enum WireDate {
    private static let seconds = Date.ISO8601FormatStyle()
    /// Reads a missing fraction as zero.
    private static let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String {
        // Rounded once, here: what is read back is written as the same text again.
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let whole = Int64((Double(milliseconds) / 1000).rounded(.down))
        let rest = String(milliseconds - whole * 1000)
        let stem = seconds.format(Date(timeIntervalSince1970: Double(whole))).dropLast()
        return stem + "." + String(repeating: "0", count: 3 - rest.utf8.count) + rest + "Z"
    }

    static func date(_ text: String) -> Date? {
        try? fraction.parse(text)
    }
}
