/// A date in a calendar. Months and days begin with 1.
package struct CalendarComponents: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }
}

/// Converts between dates and the calendar of a time zone.
///
/// FoundationEssentials knows no time zone but GMT, and takes it for the local one.
package struct LocalTimeZone: Sendable {
    private let read: @Sendable (Date) -> CalendarComponents
    private let make: @Sendable (CalendarComponents) -> Date?

    package init(
        components: @escaping @Sendable (Date) -> CalendarComponents,
        date: @escaping @Sendable (CalendarComponents) -> Date?
    ) {
        (read, make) = (components, date)
    }

    package func components(of date: Date) -> CalendarComponents { read(date) }

    /// The date of components. A day or a time beyond its range counts on: January 32 is February 1. A time that a clock
    /// change skips moves by the change.
    ///
    /// - Returns: Nil if the date cannot be represented.
    package func date(of components: CalendarComponents) -> Date? { make(components) }
}
