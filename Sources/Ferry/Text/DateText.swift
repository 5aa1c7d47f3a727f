// Ferry: Ferry
// A moment as text.

import Foundation

/// A moment as text in the user's time zone: `yyyy-MM-dd HH:mm:ss`.
enum DateText {
    /// - Parameter seconds: since 1970; 0 is none.
    static func text(_ seconds: Double, timeZone: TimeZone = .current) -> String {
        guard seconds > 0, seconds.isFinite else { return "" }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
        let date = [parts.year, parts.month, parts.day].map(two).joined(separator: "-")
        let time = [parts.hour, parts.minute, parts.second].map(two).joined(separator: ":")
        return "\(date) \(time)"
    }

    private static func two(_ number: Int?) -> String {
        let number = number ?? 0
        return number < 10 ? "0\(number)" : "\(number)"
    }
}
