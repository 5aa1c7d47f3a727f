import FerryFoundation
import Foundation
import Testing

@testable import FerryCommands

@Suite struct `Moments` {
    /// A time zone as Foundation's tables have it. The time zone must exist, or the test would be one of GMT.
    private static func zone(_ name: String) throws -> LocalTimeZone {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        let fields: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        return LocalTimeZone { [calendar] date in
            let parts = calendar.dateComponents(fields, from: date)
            return CalendarComponents(
                year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hour: parts.hour ?? 0,
                minute: parts.minute ?? 0, second: parts.second ?? 0)
        } date: { [calendar] wanted in
            calendar.date(
                from: DateComponents(
                    year: wanted.year, month: wanted.month, day: wanted.day, hour: wanted.hour, minute: wanted.minute,
                    second: wanted.second))
        }
    }

    @Test(
        arguments: [
            // 2026-01-31 18:00 in Berlin.
            ("20:00", 7200), ("17:30", 84_600), ("18:00", 86_400), ("+90s", 90), ("+2h", 7200), ("+1w", 604_800),
            ("2026-02-01", 21_600), ("2026-01-31T20:00", 7200), ("2026-01-31 20:00:30", 7230),
            ("2026-01-31T20:00:00Z", 10_800), ("2026-01-31T20:00:00+02:00", 3600),
        ] as [(String, Double)])
    func `L11 are read as people type them`(text: String, seconds: Double) throws {
        let now = Date(timeIntervalSince1970: 1_769_878_800)
        #expect(try MomentArgument.parse(text, now: now, zone: Self.zone("Europe/Berlin")) == now + seconds)
    }

    @Test(
        arguments: [
            // 2026-01-31T17:00:00Z.
            ("America/New_York", 28_800), ("Asia/Kolkata", 77_400), ("Pacific/Auckland", 50_400), ("UTC", 10_800),
        ] as [(String, Double)])
    func `L11 are those of the local time zone`(name: String, seconds: Double) throws {
        let now = Date(timeIntervalSince1970: 1_769_878_800)
        #expect(try MomentArgument.parse("20:00", now: now, zone: Self.zone(name)) == now + seconds)
    }

    @Test func `L11 a change of the clock between now and then is counted`() throws {
        // 2026-03-28 20:00 in Berlin; summer time begins in the night.
        let now = Date(timeIntervalSince1970: 1_774_724_400)
        let zone = try Self.zone("Europe/Berlin")
        #expect(try MomentArgument.parse("19:00", now: now, zone: zone) == now + 22 * 3600)
        #expect(try MomentArgument.parse("2026-03-29T19:00", now: now, zone: zone) == now + 22 * 3600)
    }

    @Test func `L11 the system's zone agrees with its own calendar`() throws {
        let now = Date(timeIntervalSince1970: 1_774_724_400)
        let parts = LocalTimeZone.system.components(of: now)
        #expect(LocalTimeZone.system.date(of: parts) == now)
    }

    @Test(
        arguments: [
            "", "25:00", "20:60", "2026-06-31", "2026-13-01", "2026-00-10", "+2", "+h", "-2h", "tomorrow", "1:2:3:4",
            "2026-01-01T24:00", "2026-01-01T-1:00", "99999999999-01-01", "20:0x",
        ])
    func `L11 text that is no moment is refused`(text: String) throws {
        let zone = try Self.zone("Europe/Berlin")
        #expect(throws: (any Error).self) { try MomentArgument.parse(text, now: .now, zone: zone) }
    }
}
