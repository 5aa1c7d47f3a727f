// Ferry: FerryCoreTests
// The delay after launches.

import FerryCore
import Foundation
import Testing

@Suite struct `The delay after launches` {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    @Test func `59 is 0 before the first launch`() {
        #expect(RelaunchDelay().rest(now: start) == 0)
    }

    @Test(
        arguments: [
            // Moments of launches in seconds, whether the last is a repetition, and the delay after it.
            ([0], false, 60), ([0, 59], false, 120), ([0, 59, 100], false, 240), ([0, 61], false, 60),
            ([0, 30, 151], false, 60), ([0, 60], true, 120), ([0, 61], true, 120),
        ] as [([Double], Bool, Double)])
    func `59 is doubled by a launch before its end and by a repeated one`(
        moments: [Double], isRepeated: Bool, seconds: Double
    ) {
        var delay = RelaunchDelay()
        for (number, moment) in moments.enumerated() {
            let isLast = number == moments.count - 1
            delay.launched(first: 60, isRepeated: isLast && isRepeated, now: start.addingTimeInterval(moment))
        }
        #expect(delay.seconds == seconds)
        #expect(delay.rest(now: start.addingTimeInterval(moments.last ?? 0)) == seconds)
    }

    @Test func `59 is over when a foreground process attaches`() {
        var delay = RelaunchDelay()
        delay.launched(first: 60, isRepeated: false, now: start)
        delay.foregroundAttached()
        #expect(delay.rest(now: start) == 0)
        delay.launched(first: 60, isRepeated: false, now: start)
        #expect(delay.seconds == 60)
    }

    @Test func `59 a clock that was set back does not lengthen it`() {
        var delay = RelaunchDelay()
        delay.launched(first: 60, isRepeated: false, now: start)
        #expect(delay.rest(now: start.addingTimeInterval(-86_400)) == 60)
    }
}
