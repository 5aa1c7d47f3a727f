// Ferry: FerryCoreTests
// How many connections are opened before the first answer.

import FerryCore
import Testing

struct `Connections before the first answer` {
    @Test(arguments: [(nil, 0), (1, 0), (2, 1), (16, 15)] as [(Int?, Int)])
    func `are as many as the user asked for, and none where Ferry chooses`(wanted: Int?, expected: Int) {
        #expect(EarlyOpening(wanted: wanted).count == expected)
        #expect(EarlyOpening(wanted: wanted, missing: SegmentRule.worthSharing).count == expected)
    }

    @Test func `are none where what is known speaks against their use`() {
        #expect(EarlyOpening(wanted: 8, missing: SegmentRule.worthSharing - 1).count == 0)
        #expect(EarlyOpening(wanted: 8, isSharable: false).count == 0)
        #expect(EarlyOpening(wanted: 8, wasInVain: true).count == 0)
    }
}
