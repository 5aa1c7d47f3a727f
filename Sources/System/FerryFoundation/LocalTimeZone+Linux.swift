#if os(Linux)
    import Glibc

    extension LocalTimeZone {
        /// The time zone of this process: `TZ`, or `/etc/localtime` without it (tzset(3)).
        package static let system = LocalTimeZone(components: components, date: date)

        private static func components(of date: Date) -> CalendarComponents {
            var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
            var found = unsafe tm()
            tzset()
            _ = unsafe localtime_r(&seconds, &found)
            return unsafe CalendarComponents(
                year: Int(found.tm_year) + 1900, month: Int(found.tm_mon) + 1, day: Int(found.tm_mday),
                hour: Int(found.tm_hour), minute: Int(found.tm_min), second: Int(found.tm_sec))
        }

        private static func date(of components: CalendarComponents) -> Date? {
            var wanted = unsafe tm()
            unsafe wanted.tm_year = CInt(clamping: components.year - 1900)
            unsafe wanted.tm_mon = CInt(clamping: components.month - 1)
            unsafe wanted.tm_mday = CInt(clamping: components.day)
            unsafe wanted.tm_hour = CInt(clamping: components.hour)
            unsafe wanted.tm_min = CInt(clamping: components.minute)
            unsafe wanted.tm_sec = CInt(clamping: components.second)
            // Whether summer time is in effect follows from the date.
            unsafe wanted.tm_isdst = -1
            let seconds = unsafe mktime(&wanted)
            // -1 is also a second of 1969, which no one waits for.
            return seconds == -1 ? nil : Date(timeIntervalSince1970: Double(seconds))
        }
    }
#endif
