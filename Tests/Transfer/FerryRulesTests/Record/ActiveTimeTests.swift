import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Active time` {
    private func instant(_ wall: Double, boot: String? = "a", up: Double? = nil) -> ActiveTime.Instant {
        ActiveTime.Instant(wall: Date(timeIntervalSince1970: wall), boot: boot, uptime: up ?? wall)
    }

    @Test func `22 it runs from the first start, through everything`() {
        var time = ActiveTime()
        #expect(time.seconds(at: instant(50)) == 0)
        time.begin(at: instant(100))
        time.begin(at: instant(200))
        #expect(time.seconds(at: instant(300)) == 200)
    }

    @Test func `22 suspended time does not count`() {
        var time = ActiveTime()
        time.suspend(at: instant(50))
        time.begin(at: instant(100))
        time.suspend(at: instant(130))
        time.suspend(at: instant(500))
        #expect(time.seconds(at: instant(1000)) == 30)
        time.begin(at: instant(2000))
        #expect(time.seconds(at: instant(2005)) == 35)
    }

    @Test func `22 a wall clock that is set has no effect within one boot`() {
        var time = ActiveTime()
        time.begin(at: instant(1_000_000, up: 10))
        #expect(time.seconds(at: instant(5, up: 40)) == 30)
        #expect(time.seconds(at: instant(9_000_000, up: 40)) == 30)
    }

    @Test(arguments: [nil, "b"])
    func `22 over a reboot the wall clock counts, never backwards`(boot: String?) {
        var time = ActiveTime()
        time.begin(at: instant(1000, up: 900))
        #expect(time.seconds(at: instant(1060, boot: boot, up: 5)) == 60)
        #expect(time.seconds(at: instant(10, boot: boot, up: 5)) == 0)
    }
}

@Suite struct `Time bounds` {
    /// Returns an instant at which wall clock and uptime differ by 1000 seconds.
    private static func instant(_ wall: Double) -> ActiveTime.Instant {
        ActiveTime.Instant(wall: Date(timeIntervalSince1970: wall), boot: "a", uptime: wall - 1000)
    }

    struct Case: Sendable {
        var deadline: Double?
        var timeout: Double?
        /// Moments at which the transfer was alternately started and suspended.
        var turns: [Double] = []
        let due: Double?
    }

    @Test(arguments: [
        Case(due: nil), Case(turns: [5000], due: nil),
        Case(deadline: 6000, due: 6000), Case(deadline: 6000, turns: [5000], due: 6000),
        Case(timeout: 60, due: nil), Case(timeout: 60, turns: [5000], due: 5060),
        // Suspended, then started again with the remaining time.
        Case(timeout: 60, turns: [5000, 5020], due: nil),
        Case(timeout: 60, turns: [5000, 5020, 7000], due: 7040),
        Case(timeout: 60, turns: [5000, 5090, 7000], due: 6970),
        // The earlier of the two.
        Case(deadline: 6000, timeout: 60, turns: [5000], due: 5060),
        Case(deadline: 5010, timeout: 60, turns: [5000], due: 5010),
        Case(deadline: 6000, timeout: 60, turns: [5000, 5020], due: 6000),
    ])
    func `end at the earlier of the deadline and the rest of the longest time`(_ sample: Case) {
        var active = ActiveTime()
        for (index, moment) in sample.turns.enumerated() {
            if index.isMultiple(of: 2) {
                active.begin(at: Self.instant(moment))
            } else {
                active.suspend(at: Self.instant(moment))
            }
        }
        let bounds = TimeBounds(
            deadline: sample.deadline.map(Date.init(timeIntervalSince1970:)), resourceTimeout: sample.timeout,
            active: active)
        #expect(bounds.due == sample.due.map(Date.init(timeIntervalSince1970:)))
        #expect(bounds.rest(at: Self.instant(8000)) == sample.due.map { $0 - 8000 })
    }

    @Test func `of the longest time go by the machine's own clock, of a deadline by the wall clock`() throws {
        var active = ActiveTime()
        active.begin(at: Self.instant(5000))
        var now = Self.instant(5010)
        now.wall += 86_400
        #expect(TimeBounds(deadline: nil, resourceTimeout: 60, active: active).rest(at: now) == 50)
        let deadline = Date(timeIntervalSince1970: 5060)
        let rest = try #require(TimeBounds(deadline: deadline, resourceTimeout: nil, active: active).rest(at: now))
        #expect(abs(rest - (50 - 86_400)) < 0.001)
    }

    @Test(arguments: [(TransferIntent.run, true), (.suspend, false), (.cancel, false), (.remove, false)])
    func `count only for what may run`(intent: TransferIntent, counts: Bool) {
        var record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(), request: TransferRequest(url: "http://a/", folder: "/"),
            credentials: nil)
        record.request.timing.deadline = Date(timeIntervalSince1970: 5000)
        record.intent = intent
        #expect((record.due != nil) == counts)
        record.outcome = .canceled
        #expect(record.due == nil)
    }
}
