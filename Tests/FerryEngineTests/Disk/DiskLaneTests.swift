// Ferry: FerryEngineTests
// Which work on disks waits for which.

import FerryEngine
import Testing

struct `Lanes of work on disks` {
    private let lane = DiskLane(.devices(home: 1, target: 1))

    @Test func `a lane does a few things at a time, in their order`() {
        var lanes = DiskLanes<Int>()
        let begun = (1...7).map { lanes.add($0, to: lane) }
        #expect(begun == [1, 2, 3, 4, nil, nil, nil])
        let next = (1...3).map { _ in lanes.ended(in: lane) }
        #expect(next == [5, 6, 7])
        let none = lanes.ended(in: lane)
        #expect(none == nil)
        let later = lanes.add(8, to: lane)
        #expect(later == 8)
    }

    @Test(arguments: [
        DiskLane(.devices(home: 2, target: 2)), DiskLane(.devices(home: 1, target: 2)), DiskLane(.folder("/")),
        DiskLane(.devices(home: 1, target: 1), .bulk),
    ])
    func `no lane waits for another`(other: DiskLane) {
        var lanes = DiskLanes<Int>()
        for work in 1...9 { _ = lanes.add(work, to: lane) }
        let begun = lanes.add(10, to: other)
        #expect(begun == 10)
    }

    @Test func `what has not begun can be taken out`() {
        var lanes = DiskLanes<Int>()
        for work in 1...6 { _ = lanes.add(work, to: lane) }
        let waiting = lanes.removeWaiting()
        #expect(waiting == [5, 6])
        let next = lanes.ended(in: lane)
        #expect(next == nil)
    }
}
