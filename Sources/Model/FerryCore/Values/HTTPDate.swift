package import FerryFoundation

/// Reads the three date forms of RFC 9110 §5.6.7, and writes the first of them.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// The range of dates with four-digit years, 1 to 9999, in seconds.
    private static let seconds =
        Double(GregorianDay.number(1, 1, 1) * 86_400)...Double(GregorianDay.number(10_000, 1, 1) * 86_400 - 1)

    /// Formats a date as IMF-fixdate, in whole seconds and clamped to four-digit years.
    package static func text(of date: Date) -> String {
        let since = date.timeIntervalSince1970.rounded(.down)
        let second = Int(since.isNaN ? 0 : min(max(since, seconds.lowerBound), seconds.upperBound))
        let number = GregorianDay.floorDivide(second, 86_400)
        let (year, month, day) = GregorianDay.date(number)
        let ofDay = second - number * 86_400
        // 1970-01-01 was a Thursday.
        let weekday = days[number + 4 - 7 * GregorianDay.floorDivide(number + 4, 7)].prefix(3)
        let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { digits($0, 2) }.joined(separator: ":")
        return "\(weekday), \(digits(day, 2)) \(months[month - 1]) \(digits(year, 4)) \(clock) GMT"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Parses IMF-fixdate, RFC 850 or asctime form. Returns nil for anything else.
    ///
    /// The weekday must be valid but is not compared with the date.
    package static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        switch words.count {
        case 6: return fixdate(words)
        case 5: return asctime(words)
        case 4: return rfc850(words)
        default: return nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ words: [Substring]) -> Date? {
        guard words[0].last == ",", days.contains(where: { $0.prefix(3) == words[0].dropLast() }), words[5] == "GMT",
            let day = number(words[1], digits: 2), let month = month(words[2]), let year = number(words[3], digits: 4)
        else { return nil }
        return date(year, month, day, clock: words[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ words: [Substring]) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].last == ",", days.contains(where: { $0 == words[0].dropLast() }), words[3] == "GMT",
            parts.count == 3, let day = number(parts[0], digits: 2), let month = month(parts[1]),
            let year = number(parts[2], digits: 2)
        else { return nil }
        // This form went out of use before 2000, so a fixed century serves instead of a clock.
        return date(year < 70 ? 2000 + year : 1900 + year, month, day, clock: words[2])
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ words: [Substring]) -> Date? {
        guard days.contains(where: { $0.prefix(3) == words[0] }), let month = month(words[1]),
            let day = number(words[2], digits: words[2].utf8.count == 1 ? 1 : 2), let year = number(words[4], digits: 4)
        else { return nil }
        return date(year, month, day, clock: words[3])
    }

    private static func month(_ word: Substring) -> Int? {
        months.firstIndex { $0 == word }.map { $0 + 1 }
    }

    private static func number(_ word: Substring, digits: Int) -> Int? {
        word.utf8.count == digits && word.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(word) : nil
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, clock: Substring) -> Date? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            // 60 is a leap second.
            let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = GregorianDay.number(year, month, day)
        // A day that the month does not have comes back as another date.
        guard GregorianDay.date(days) == (year, month, day) else { return nil }
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }
}

/// Counts days since 1970-01-01 in the proleptic Gregorian calendar.
package enum GregorianDay {
    /// A day that the month does not have counts into the next month.
    package static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years start in March, so that the leap day is the last of its year.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * shifted + floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400)
            + dayOfYear - 719_468
    }

    package static func date(_ number: Int) -> (year: Int, month: Int, day: Int) {
        let sinceMarch = number + 719_468
        let era = floorDivide(sinceMarch, 146_097)
        let dayOfEra = sinceMarch - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    fileprivate static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
        dividend >= 0 ? dividend / divisor : -((divisor - 1 - dividend) / divisor)
    }
}
