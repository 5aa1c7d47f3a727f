// Ferry: FerryCore
// Days and dates of the calendar.

/// Counts days since 1970-01-01 in the proleptic Gregorian calendar.
package enum GregorianDay {
    /// A day that the month has not got is one of the next month.
    package static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years are counted from March, so that the leap day is the last of its year.
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

    private static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
        dividend >= 0 ? dividend / divisor : -((divisor - 1 - dividend) / divisor)
    }
}
