import FerryCore
import FerryRules
import Testing

struct `Connections of a transfer` {
    /// Returns how many connections are opened to a server that gives `each` to every connection and `together` to all.
    private func targets(
        each: Double, together: Double, size: Double, setup: Double = 0, allowed: Int = .max, seconds: Double
    ) -> [Int] {
        var growth = ConnectionGrowth(limit: SegmentRule.chosen)
        var targets = [growth.target]
        var received = 0.0
        var fullSince: Double? = 0
        var time = 0.0
        while time < seconds {
            time += 0.1
            received = min(size, received + min(each * Double(growth.target), together) * 0.1)
            let before = growth.target
            growth.update(
                received: Int64(received), missing: Int64(size - received), receiving: growth.target,
                fullSince: fullSince, setup: setup, allowed: allowed, now: time)
            if growth.target != before {
                targets.append(growth.target)
                fullSince = time + setup
            }
        }
        return targets
    }

    @Test func `double as long as each step brings more`() {
        #expect(targets(each: 10e6, together: 16e6, size: 1e9, seconds: 5) == [1, 2, 4, 2])
        #expect(targets(each: 10e6, together: 15e6, size: 1e9, seconds: 5).prefix(3) == [1, 2, 4])
    }

    @Test func `are all that there may be once a step has nearly doubled the speed`() {
        #expect(targets(each: 10e6, together: 1e9, size: 1e9, seconds: 5) == [1, 2, 8])
    }

    @Test func `stay where a step brought little, and go back where it brought nothing`() {
        #expect(targets(each: 10e6, together: 11e6, size: 1e9, seconds: 5) == [1, 2])
        #expect(targets(each: 10e6, together: 15e6, size: 1e9, seconds: 5) == [1, 2, 4, 2])
        #expect(targets(each: 10e6, together: 10e6, size: 1e9, seconds: 5) == [1, 2, 1])
    }

    @Test func `are tried once more after a minute, three times`() {
        let targets = targets(each: 10e6, together: 10e6, size: 1e12, seconds: 600)
        #expect(targets == [1, 2, 1, 2, 1, 2, 1, 2, 1])
    }

    @Test(arguments: [(9e6, 0.0, 1), (11e6, 0.0, 2), (70e6, 1.0, 1), (150e6, 1.0, 2)])
    func `grow only while enough is left`(_ size: Double, _ setup: Double, _ expected: Int) {
        // At the first check that counts, 4 to 50 MB have arrived at 10 MB/s.
        #expect(targets(each: 10e6, together: 1e9, size: size + 4.4e6, setup: setup, seconds: 5).max() == expected)
    }

    /// Returns a growth after `times` checks, 25 ms apart, of a connection at 1 MB/s with much left to receive.
    private func inspected(_ times: Int) -> ConnectionGrowth {
        var growth = ConnectionGrowth(limit: 8)
        for update in 0..<times {
            growth.update(
                received: Int64(update) * 25_000, missing: 1 << 28, receiving: 1, fullSince: nil, setup: 0.1,
                allowed: .max, now: Double(update) * 0.025)
        }
        return growth
    }

    @Test(arguments: [(0.1, 1 << 28, 2), (0.1, 1 << 20, 1), (0.01, 1 << 28, 1)] as [(Double, Int64, Int)])
    func `may be opened while nothing has come yet, over a long round trip for a large file`(
        setup: Double, missing: Int64, expected: Int
    ) {
        #expect(inspected(0).prospect(missing: missing, setup: setup, allowed: .max, now: 0) == expected)
        #expect(inspected(2).prospect(missing: missing, setup: setup, allowed: .max, now: 0.025) == expected)
        #expect(inspected(2).prospect(missing: missing, setup: setup, allowed: .max, now: 0.06) == 1)
        #expect(inspected(2).prospect(missing: missing, setup: setup, allowed: 1, now: 0.025) == 1)
    }

    @Test func `may be opened for the step after the one that is tried`() {
        let growth = inspected(4)
        #expect(growth.target == 2)
        #expect(growth.prospect(missing: 1 << 28, setup: 0.1, allowed: .max, now: 0.1) == 8)
        #expect(growth.prospect(missing: 1 << 28, setup: 0.1, allowed: 4, now: 0.1) == 4)
        #expect(growth.prospect(missing: 1 << 28, setup: 0.1, allowed: 1, now: 0.1) == 2)
    }

    private static let mebibyte: Int64 = 1 << 20

    @Test(arguments: [(64, 8), (256, 8), (1024, 8), (4096, 8)] as [(Int64, Int)])
    func `are soon all that there may be over a long round trip`(mebibytes: Int64, expected: Int) {
        let path = SimulatedPath()
        let chosen = path.fetch(mebibytes * Self.mebibyte)
        #expect(chosen.mostReceiving == expected)
        #expect(chosen.seconds < path.fetch(mebibytes * Self.mebibyte, connections: expected).seconds + 1)
        #expect(chosen.seconds < 0.7 * path.fetch(mebibytes * Self.mebibyte, connections: 1).seconds)
    }

    @Test func `take at most one and a half times as long as sixteen over a path that half of them can fill`() {
        let path = SimulatedPath(together: 400e6)
        let chosen = path.fetch(256 * Self.mebibyte)
        // The first response took two round trips.
        let sixteen = path.fetch(256 * Self.mebibyte, connections: 16)
        #expect(chosen.seconds + 0.2 <= 1.5 * (sixteen.seconds + 0.2))
    }

    @Test(arguments: [1, 4, 16] as [Int64])
    func `stay one over a long round trip for a file that comes soon even so`(mebibytes: Int64) {
        #expect(SimulatedPath().fetch(mebibytes * Self.mebibyte).connections == 1)
    }

    @Test(arguments: [0.1, 0.3], [3e6, 10e6])
    func `become few again where all together bring no more than one`(roundTrip: Double, together: Double) {
        let outcome = SimulatedPath(roundTrip: roundTrip, together: together).fetch(1024 * Self.mebibyte)
        #expect(outcome.counts.contains(8), "nothing could be judged while they sped up")
        #expect(outcome.counts.last == 1)
        #expect(outcome.seconds < 1.1 * Double(1024 * Self.mebibyte) / together + 5 * roundTrip)
    }

    @Test(arguments: [0.1, 0.3])
    func `stay where each is held back on its own, after one was missed`(roundTrip: Double) {
        let outcome = SimulatedPath(roundTrip: roundTrip, cap: { _ in 2e6 }).fetch(512 * Self.mebibyte)
        #expect(outcome.counts == [1, 2, 8, 7, 8])
    }

    @Test func `are no more than a host allows`() {
        #expect(targets(each: 10e6, together: 1e9, size: 1e10, allowed: 3, seconds: 5).max() == 3)
        #expect(targets(each: 10e6, together: 1e9, size: 1e10, allowed: 1, seconds: 5) == [1])
    }

    @Test func `that a host refused are asked for again later, one by one`() {
        let allowance = HostAllowance(active: 8, receiving: 5, now: 100)
        #expect(allowance.connections(now: 100) == 4)
        #expect(allowance.connections(now: 699) == 4)
        #expect(allowance.connections(now: 700) == 5)
        #expect(allowance.connections(now: 940) == 7)
        #expect(HostAllowance(active: 8, receiving: 3, now: 0).connections(now: 0) == 3)
        #expect(HostAllowance(active: 1, receiving: 0, now: 0).connections(now: 0) == 1)
    }

    @Test(arguments: [
        (8, 8, 0, 0), (8, 4, 0, 4), (8, 8, 3, 3), (8, 4, 6, 6), (8, 0, 9, 7), (1, 0, 5, 0), (0, 4, 0, 0), (0, 0, 3, 0),
    ])
    func `that are too many go, but for one`(_ active: Int, _ wanted: Int, _ excess: Int, _ expected: Int) {
        #expect(SegmentRule.tooMany(active: active, wanted: wanted, excess: excess) == expected)
    }
}

struct `Connections before the first answer` {
    @Test(arguments: [(nil, 0), (1, 0), (2, 1), (16, 15)] as [(Int?, Int)])
    func `are as many as the user asked for, and none where Ferry chooses`(wanted: Int?, expected: Int) {
        #expect(EarlyOpening(wanted: wanted).count == expected)
        #expect(EarlyOpening(wanted: wanted, missing: SegmentRule.worthSharing).count == expected)
    }

    @Test func `are none where known facts exclude their use`() {
        #expect(EarlyOpening(wanted: 8, missing: SegmentRule.worthSharing - 1).count == 0)
        #expect(EarlyOpening(wanted: 8, isSharable: false).count == 0)
        #expect(EarlyOpening(wanted: 8, wasUnused: true).count == 0)
    }
}
