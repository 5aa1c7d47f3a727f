import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Testing

@Suite struct `The horizon of due transfers` {
    /// Returns an instant at which the wall clock is ahead of uptime by `lead` seconds.
    private func instant(_ uptime: Double, lead: Double = 1000) -> ActiveTime.Instant {
        ActiveTime.Instant(wall: Date(timeIntervalSince1970: uptime + lead), boot: "a", uptime: uptime)
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `each check continues where the last one ended, well before that moment`() {
        var horizon = DueHorizon(length: 100)
        #expect(horizon.interval == 50)
        let looks = [0.0, 50, 50].map { horizon.advance(at: instant($0)) }
        #expect(looks.map(\.after) == [nil, date(1100), date(1150)])
        #expect(looks.map(\.through) == [date(1100), date(1150), date(1150)])
    }

    @Test func `a new transfer gets an alarm if no check would come in time`() {
        for hasLooked in [false, true] {
            var horizon = DueHorizon(length: 100)
            let now = instant(10)
            if hasLooked { _ = horizon.advance(at: instant(10)) }
            let rests = [0.0, 1010, 1020, 1110, 1112].map { horizon.rest(until: date($0), at: now) }
            #expect(rests == [0, 0, 10, 100, nil])
        }
    }

    @Test func `a wall clock that is set back hides nothing that was stored before`() {
        var horizon = DueHorizon(length: 100)
        _ = horizon.advance(at: instant(0))
        #expect([1130].map { horizon.rest(until: date($0), at: instant(10)) } == [nil])
        // Set back by 500 seconds: a deadline stored as 1130 is due at an uptime of 130.
        let advance = horizon.advance(at: instant(50, lead: 500))
        #expect(advance == (date(1100), date(1150)))
        // A deadline added later lies before the end of the loaded range, so its alarm rings too early.
        #expect([670].map { horizon.rest(until: date($0), at: instant(60, lead: 500)) } == [0])
    }

    @Test func `a wall clock that was ahead between two looks counts if a transfer came then`() {
        var horizon = DueHorizon(length: 100)
        _ = horizon.advance(at: instant(0))
        #expect([9130].map { horizon.rest(until: date($0), at: instant(10, lead: 9000)) } == [nil])
        let advance = horizon.advance(at: instant(50))
        #expect(advance == (date(1100), date(9150)))
    }

    @Test func `a wall clock that is set forward skips no transfer`() {
        var horizon = DueHorizon(length: 100)
        _ = horizon.advance(at: instant(0))
        let now = instant(10, lead: 90_000)
        #expect([90_070, 90_130].map { horizon.rest(until: date($0), at: now) } == [60, nil])
        let advance = horizon.advance(at: instant(50, lead: 90_000))
        #expect(advance == (date(1100), date(90_150)))
    }
}
