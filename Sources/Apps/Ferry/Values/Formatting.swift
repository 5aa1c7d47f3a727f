import Foundation

/// Seconds as text: `mm:ss` below an hour, otherwise `h:mm:ss`.
enum TimeText {
    static func text(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let minutes = seconds / 60 % 60
        let rest = "\(two(minutes)):\(two(seconds % 60))"
        return seconds < 3600 ? rest : "\(seconds / 3600):\(rest)"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A date as text in the user's time zone: `yyyy-MM-dd HH:mm:ss`.
enum DateText {
    /// - Parameter seconds: Seconds since 1970. 0 for none.
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
