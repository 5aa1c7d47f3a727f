import FerryCore
import FerryRules
import Testing

struct `Segments of a file` {
    static let mebibyte: Int64 = 1 << 20

    /// Returns a plan in which worker 0 has the whole file.
    private func plan(_ mebibytes: Int64) -> SegmentPlan {
        var plan = SegmentPlan(gaps: ByteRangeSet(0..<mebibytes * Self.mebibyte), now: 0)
        plan.begin(0, with: 0..<mebibytes * Self.mebibyte, now: 0)
        return plan
    }

    private func ranges(_ plan: SegmentPlan) -> [Range<Int64>] {
        plan.segments.values.map { $0.start..<$0.end }.sorted { $0.lowerBound < $1.lowerBound }
    }

    @Test(arguments: [1, 2, 3, 4, 8, 16, 64])
    func `workers that begin together have disjoint parts that cover the file`(_ count: Int) {
        var plan = plan(400)
        for worker in 1..<max(count, 1) {
            let work = plan.assign(worker, setup: 0, speed: nil, now: 0)
            #expect(work != nil)
        }
        let ranges = ranges(plan)
        #expect(ranges.count == count)
        #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == 400 * Self.mebibyte)
        for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
        let sizes = ranges.map { $0.upperBound - $0.lowerBound }
        let (largest, smallest) = (sizes.max() ?? 0, sizes.min() ?? 0)
        #expect(largest <= 2 * smallest)
        #expect(plan.missing == 400 * Self.mebibyte)
    }

    @Test func `the largest gap comes before any worker's part`() {
        var plan = SegmentPlan(gaps: ByteRangeSet(0..<10), now: 0)
        plan.lose(100..<130)
        plan.begin(0, with: 0..<5, now: 0)
        let first = plan.assign(1, setup: 0, speed: nil, now: 0)
        #expect(first?.range == 100..<130)
        let second = plan.assign(2, setup: 0, speed: nil, now: 0)
        #expect(second?.range == 5..<10)
        let third = plan.assign(3, setup: 0, speed: nil, now: 0)
        #expect(third == nil)
    }

    /// Lost bytes that are still recorded as written would not be assigned to any worker after one leaves.
    @Test func `a lost range stays missing when other workers leave`() {
        var plan = plan(8)
        let half = 4 * Self.mebibyte
        let work = plan.assign(1, setup: 0, speed: nil, now: 0)
        #expect(work?.range == half..<2 * half)
        plan.leave(1, at: half + Self.mebibyte)
        plan.lose(half..<half + Self.mebibyte)
        plan.leave(0, at: Self.mebibyte)
        #expect(plan.gaps.ranges == [Self.mebibyte..<2 * half])
        #expect(plan.missing == 7 * Self.mebibyte)
    }

    @Test func `a thief takes as much as lets both end together`() throws {
        var plan = plan(100)
        plan.observe([0: 0], now: 0)
        plan.observe([0: Self.mebibyte], now: 1)
        // 99 MiB remain at 1 MiB/s, so a worker with 9 MiB/s takes nine tenths of it.
        let given = plan.assign(1, setup: 0, speed: Double(9 * Self.mebibyte), now: 1)
        let work = try #require(given)
        let size = work.range.upperBound - work.range.lowerBound
        let expected = Double(99 * Self.mebibyte) * 0.9
        #expect(abs(Double(size) - expected) < Double(Self.mebibyte) * 0.1)
        #expect(work.range.lowerBound % SegmentRule.grain == 0)
        #expect(work.range.upperBound == 100 * Self.mebibyte)
    }

    /// A worker with a growing congestion window will soon be much faster than it was.
    @Test(arguments: [4, 16, 64, 256] as [Int64], [2, 4, 8, 16])
    func `a larger file is not there sooner, and more connections do not take longer`(_ mebibytes: Int64, _ count: Int)
    {
        let path = SimulatedPath()
        let seconds = path.fetch(mebibytes * Self.mebibyte, connections: count).seconds
        #expect(seconds <= path.fetch(2 * mebibytes * Self.mebibyte, connections: count).seconds + 3 * path.roundTrip)
        #expect(seconds <= path.fetch(mebibytes * Self.mebibyte, connections: count / 2).seconds + 3 * path.roundTrip)
    }

    @Test func `nine of ten fast workers have nothing to wait for at the end`() {
        let path = SimulatedPath(roundTrip: 0.001, cap: { $0 % 8 == 2 ? 1e6 : 10e6 })
        let size = 400 * Self.mebibyte
        #expect(path.fetch(size, connections: 8).seconds < 1.1 * Double(size) / 71e6)
    }

    @Test func `a connection that has carried work is used for less than a new one`() {
        for (isWarm, expected) in [(true, true), (false, false)] {
            var plan = plan(102)
            for second in 0...9 { plan.observe([0: Int64(second) * 11 * Self.mebibyte], now: Double(second)) }
            // Three mebibytes remain, at 11 a second.
            let work = plan.assign(1, setup: 0, speed: 1e9, isWarm: isWarm, now: 9)
            #expect((work != nil) == expected)
        }
    }

    @Test(arguments: [
        // Too few bytes, or bytes due too soon, are not split off. A slow worker's last bytes are.
        (99.5, 1.0, false), (99.9, 0.01, false), (99.5, 0.1, true), (50, 100, false), (50, 10, true), (98, 0.5, true),
    ])
    func `work is taken only where that is worth a request`(_ done: Double, _ speed: Double, _ expected: Bool) {
        var plan = plan(100)
        let position = Int64(done * Double(Self.mebibyte))
        let before = position - Int64(speed * Double(Self.mebibyte))
        plan.observe([0: max(0, before)], now: 1)
        // The speed is first the average, then that of the last seconds.
        for second in 2...200 { plan.observe([0: max(0, before)], now: Double(second)) }
        plan.observe([0: position], now: 201)
        let work = plan.assign(1, setup: 0, speed: nil, now: 201)
        #expect((work != nil) == expected)
    }

    @Test func `the rest of a leaving worker returns to the one it was taken from, or becomes a gap`() {
        var plan = plan(8)
        let mebibyte = Self.mebibyte
        _ = plan.assign(1, setup: 0, speed: nil, now: 0)
        _ = plan.assign(2, setup: 0, speed: nil, now: 0)
        // No worker was kept from writing, so the first continues to the end.
        for worker in [1, 2] { plan.leave(worker, at: plan.segments[worker]?.start ?? 0) }
        #expect(ranges(plan) == [0..<8 * mebibyte])
        #expect(plan.gaps.isEmpty)
        // The accepted worker keeps the other one from continuing.
        _ = plan.assign(3, setup: 0, speed: nil, now: 0)
        #expect(plan.victims(of: 3) == [0])
        plan.lowered(0, to: 4 * mebibyte)
        #expect(plan.victims(of: 3) == [])
        plan.leave(3, at: 5 * mebibyte)
        #expect(ranges(plan) == [0..<4 * mebibyte])
        #expect(plan.gaps.ranges == [5 * mebibyte..<8 * mebibyte])
    }

    @Test func `the rest of a worker that hardly moves goes to one without work`() {
        var plan = SegmentPlan(gaps: ByteRangeSet(), now: 0)
        let mebibyte = Self.mebibyte
        // Too small to be split.
        let size: Int64 = 100 << 10
        plan.begin(0, with: 0..<size, now: 0)
        plan.begin(1, with: mebibyte..<90 * mebibyte, now: 0)
        plan.begin(2, with: 100 * mebibyte..<190 * mebibyte, now: 0)
        for second in 1...3 {
            plan.observe(
                [
                    0: Int64(second) * 1000, 1: mebibyte + Int64(second) * mebibyte * 24,
                    2: (100 + Int64(second) * 24) * mebibyte,
                ], now: Double(second))
        }
        let early = plan.assign(3, setup: 0, speed: nil, now: 3)
        #expect(early == nil)
        plan.observe([0: 5000, 1: 89 * mebibyte, 2: 189 * mebibyte], now: 4)
        let work = plan.assign(3, setup: 0, speed: nil, now: 4)
        #expect(work?.range == 5000..<size)
        #expect(work?.replaced == 0)
        #expect(plan.segments[0] == nil)
        // The worker had advanced further than recorded.
        plan.advance(3, to: 6000, now: 5)
        #expect(plan.segments[3]?.start == 6000)
    }

    @Test func `a slow worker that is the last keeps its name for it, and loses its rest`() {
        let kibibyte: Int64 = 1 << 10
        var plan = SegmentPlan(gaps: ByteRangeSet(), now: 0)
        plan.begin(0, with: 0..<100 * kibibyte, now: 0)
        plan.begin(1, with: Self.mebibyte..<2 * Self.mebibyte, now: 0)
        for second in 1...2 {
            plan.observe(
                [0: Int64(second) * kibibyte, 1: Self.mebibyte + Int64(second) * 500 * kibibyte], now: Double(second))
        }
        plan.leave(1, at: 2 * Self.mebibyte)
        for second in 3...4 { plan.observe([0: Int64(second) * kibibyte], now: Double(second)) }
        let work = plan.assign(2, setup: 0, speed: nil, now: 4)
        #expect(work?.range == 4 * kibibyte..<100 * kibibyte)
        #expect(work?.replaced == 0)
    }

    @Test func `a worker without a byte for long loses its rest while others receive, and a slow one its connection`() {
        var plan = SegmentPlan(gaps: ByteRangeSet(), now: 0)
        for worker in 0..<4 { plan.begin(worker, with: Int64(worker) << 30..<Int64(worker + 1) << 30, now: 0) }
        func position(_ worker: Int, _ second: Int) -> Int64 {
            Int64(worker) << 30 + Int64(second) * [10_000_000, 10_000_000, 0, 1_000_000][worker]
        }
        for second in 1...12 {
            plan.observe(
                Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, position($0, second)) }), now: Double(second))
            let troubles = plan.troubles(setup: 0.1, now: Double(second))
            #expect(troubles[2] == (second >= 5 ? .silent : nil))
            #expect(troubles[3] == (second >= 11 ? .slow : nil))
            #expect(troubles[0] == nil && troubles[1] == nil)
        }
        plan.reconnected(3)
        #expect(plan.troubles(setup: 0.1, now: 12)[3] == nil)
    }

    /// A regression: a position outside of the worker's segment ended the daemon.
    @Test func `a position before a part says nothing about it`() {
        var plan = plan(8)
        let work = plan.assign(1, setup: 0, speed: nil, now: 0)
        #expect(work?.range.lowerBound == 4 * Self.mebibyte)
        plan.observe([1: Self.mebibyte], now: 1)
        #expect(plan.segments[1]?.position == 4 * Self.mebibyte)
        plan.lowered(0, to: 4 * Self.mebibyte)
        plan.leave(1, at: Self.mebibyte)
        #expect(plan.gaps.ranges == [4 * Self.mebibyte..<8 * Self.mebibyte])
        #expect(ranges(plan) == [0..<4 * Self.mebibyte])
    }

    @Test func `bytes that are no data are missing again`() {
        var plan = plan(4)
        plan.leave(0, at: 3 * Self.mebibyte)
        plan.lose(Self.mebibyte..<2 * Self.mebibyte)
        #expect(plan.gaps.ranges == [Self.mebibyte..<2 * Self.mebibyte, 3 * Self.mebibyte..<4 * Self.mebibyte])
    }

    @Test func `what a worker leaves is no gap where another has passed it already`() {
        var plan = plan(8)
        let mebibyte = Self.mebibyte
        _ = plan.assign(1, setup: 0, speed: nil, now: 0)
        plan.observe([0: 6 * mebibyte], now: 0.1)
        plan.leave(1, at: 4 * mebibyte)
        #expect(plan.gaps.isEmpty)
        #expect(ranges(plan) == [0..<8 * mebibyte])
        _ = plan.assign(2, setup: 0, speed: nil, now: 0.1)
        #expect(!plan.isOvertaken(2))
        plan.leave(0, at: 8 * mebibyte)
        #expect(plan.isOvertaken(2))
        plan.leave(2, at: 7 * mebibyte)
        #expect(plan.gaps.isEmpty)
        #expect(plan.missing == 0)
    }
}
