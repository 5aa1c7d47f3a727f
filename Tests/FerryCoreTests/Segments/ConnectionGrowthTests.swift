// Ferry: FerryCoreTests
// How many connections a transfer has.

import FerryCore
import Testing

struct `Connections of a transfer` {
    /// How many connections a server is asked for that gives each of them so much, and all together no more than that.
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
            growth.look(
                received: Int64(received), missing: Int64(size - received), fullSince: fullSince, setup: setup,
                allowed: allowed, now: time)
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
        // At the first look that counts, 3 to 40 MB have come at 10 MB a second.
        #expect(targets(each: 10e6, together: 1e9, size: size + 2.6e6, setup: setup, seconds: 4).max() == expected)
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
