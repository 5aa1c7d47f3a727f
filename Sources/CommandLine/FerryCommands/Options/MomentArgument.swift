import ArgumentParser
import FerryCore
import FerryFoundation

/// Parses a date.
enum MomentArgument {
    /// - Parameters:
    ///   - text: `20:00` is its next occurrence. Others are `2026-01-31T20:00`, `+90s`, `+30m`, `+2h`, `+1d`, and
    ///     `now`, which is the distant past. A date may end with a time zone, as in `2026-01-31T20:00:00+01:00`.
    ///   - zone: The time zone of a text without one.
    /// - Throws: `ValidationError` for anything else.
    static func parse(_ text: String, now: Date, zone: LocalTimeZone = .system) throws -> Date {
        if text == "now" { return .distantPast }
        if text.hasPrefix("+"), let seconds = SpanArgument.seconds(text.dropFirst()) {
            return now.addingTimeInterval(seconds)
        }
        if let date = try? Date(text, strategy: .iso8601) { return date }
        guard let date = clock(text, now, zone) ?? local(text, zone) else {
            throw ValidationError(
                "“\(text.escapingControls)” is not a time; write it as 20:00, 2026-01-31T20:00, or +2h from now.")
        }
        return date
    }

    /// The next occurrence of `20:00`.
    private static func clock(_ text: String, _ now: Date, _ zone: LocalTimeZone) -> Date? {
        let parts = numbers(text[...], separator: ":")
        guard text.utf8.count <= 5, parts?.count == 2, let hour = parts?[0], let minute = parts?[1],
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        var today = zone.components(of: now)
        (today.hour, today.minute, today.second) = (hour, minute, 0)
        // A clock change moves a day's end, so the day after is computed from its date.
        for day in 0...2 {
            var wanted = today
            wanted.day += day
            if let date = zone.date(of: wanted), date > now { return date }
        }
        return nil
    }

    /// A date and time in the time zone.
    private static func local(_ text: String, _ zone: LocalTimeZone) -> Date? {
        let halves = text.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard (1...2).contains(halves.count), let days = numbers(halves[0], separator: "-"), days.count == 3,
            let clock = numbers(halves.count > 1 ? halves[1] : "0:0", separator: ":"), (2...3).contains(clock.count),
            (1970...9999).contains(days[0]), (1...12).contains(days[1]), (1...31).contains(days[2]),
            (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), clock.count < 3 || (0..<60).contains(clock[2])
        else { return nil }
        let wanted = CalendarComponents(
            year: days[0], month: days[1], day: days[2], hour: clock[0], minute: clock[1],
            second: clock.count > 2 ? clock[2] : 0)
        guard let date = zone.date(of: wanted) else { return nil }
        // Rejects dates such as June 31. A time that a clock change skips moves by the change.
        let read = zone.components(of: date)
        return read.day == wanted.day && read.month == wanted.month ? date : nil
    }

    private static func numbers(_ text: Substring, separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
        return numbers.count == parts.count ? numbers : nil
    }
}

/// Parses a duration: `90s`, `30m`, `2h`, `7d`.
package enum SpanArgument {
    /// - Throws: `ValidationError` for anything else, and for more than a hundred years.
    @Sendable package static func parse(_ text: String) throws -> Double {
        guard let seconds = seconds(text[...]) else {
            throw ValidationError("“\(text.escapingControls)” is not a duration; write it as 90s, 30m, 2h or 7d.")
        }
        return seconds
    }

    static func seconds(_ text: Substring) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number >= 0,
            Double(number) * unit <= 100 * 366 * 86_400
        else { return nil }
        return Double(number) * unit
    }
}
