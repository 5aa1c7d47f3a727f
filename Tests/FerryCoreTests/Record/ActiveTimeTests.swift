// Ferry: FerryCoreTests
// How long a transfer has been under way.

import FerryCore
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
