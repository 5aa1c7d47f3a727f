import FerryCore
import FerryRules
import Testing

struct `S12 sources of a file` {
    private func rank(_ speed: Double?) -> SourceRank {
        var rank = SourceRank()
        if let speed { rank.measured(speed) }
        return rank
    }

    @Test(
        arguments: [
            ([], []), ([(nil, 3)], [0]),
            // Evenly while one is not measured,
            ([(nil, 1), (nil, 0), (nil, 0)], [1, 2, 0]), ([(5e6, 2), (nil, 1)], [1, 0]),
            ([(5e6, 1), (nil, 1)], [0, 1]),
            // then by speed, regardless of the load.
            ([(5e6, 1), (9e6, 4)], [1, 0]), ([(5e6, 4), (5e6, 2), (1e6, 0)], [1, 0, 2]),
        ] as [([(Double?, Int)], [Int])])
    func `come by their speed once all are measured`(sources: [(Double?, Int)], expected: [Int]) {
        #expect(SourceRank.order(sources.map { (rank($0.0), $0.1) }) == expected)
    }

    @Test func `rest for a minute after a failure, and twice as long after each further one`() {
        var rank = SourceRank()
        #expect(!rank.rests(now: 0))
        var now = 100.0
        for rest in [60.0, 120, 240] {
            rank.failed(now: now)
            #expect(rank.rests(now: now) && rank.rests(now: now + rest - 1))
            #expect(!rank.rests(now: now + rest))
            now += rest
        }
    }

    @Test func `rest as long as they ask for, and never shorter than for a failure`() {
        var rank = SourceRank()
        rank.rest(for: 5, now: 100)
        #expect(rank.rests(now: 104) && !rank.rests(now: 105))
        rank.failed(now: 200)
        rank.rest(for: 5, now: 200)
        #expect(rank.rests(now: 259) && !rank.rests(now: 260))
    }
}
