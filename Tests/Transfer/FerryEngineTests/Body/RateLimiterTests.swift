import FerryCore
import FerryEngine
import FerryRules
import Testing
@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Rate limits` {
    private static let second: UInt64 = 1_000_000_000

    @Test(
        arguments: [
            // Bytes per second, seconds since the start, bytes, seconds to wait.
            (0, 0, 1_000_000, 0), (1000, 0, 1000, 1), (1000, 1, 1000, 0), (1000, 10, 1000, 0),
            (1000, 10, 2000, 1), (1000, 0, 500, 0.5), (2000, 0.5, 2000, 0.5),
        ] as [(Int64, Double, Int, Double)])
    func `L2 a bucket is one second deep and starts empty`(
        rate: Int64, elapsed: Double, count: Int, wait: Double
    ) {
        var bucket = TokenBucket(rate: rate, now: 5)
        #expect(bucket.reserve(count, now: 5 + UInt64(elapsed * 1e9)) == UInt64(wait * 1e9))
    }

    @Test func `L2 reservations follow one another`() {
        var bucket = TokenBucket(rate: 1000, now: 0)
        #expect((1...4).map { _ in bucket.reserve(250, now: 0) } == [1, 2, 3, 4].map { $0 * Self.second / 4 })
    }

    @Test func `a clock that steps back fills nothing`() {
        var bucket = TokenBucket(rate: 1000, now: Self.second)
        #expect(bucket.reserve(1000, now: 0) == Self.second)
        #expect(bucket.reserve(1000, now: Self.second) == 2 * Self.second)
    }

    @Test(arguments: [(1000, 500, 2), (1000, 2000, 0.5), (1000, 0, 0)] as [(Int64, Int64, Double)])
    func `L1 a changed rate holds for later bytes`(old: Int64, new: Int64, wait: Double) {
        var bucket = TokenBucket(rate: old, now: 0)
        bucket.setRate(new, now: 0)
        #expect(bucket.reserve(1000, now: 0) == UInt64(wait * 1e9))
    }

    @Test func `L1 the debt of a fast limit does not delay a slow one`() {
        var bucket = TokenBucket(rate: 1_000_000, now: 0)
        #expect(bucket.reserve(500_000, now: 0) == Self.second / 2)
        bucket.setRate(1000, now: 0)
        #expect(bucket.reserve(1000, now: 0) == Self.second * 3 / 2)
    }

    /// Returns the bytes that transfers pass through one limiter in simulated time, each with one reservation at a
    /// time.
    private func simulate(
        rate: Int64, pieces: [Int], seconds: Double, pause: Range<Double>? = nil
    ) -> [[(at: Double, bytes: Int)]] {
        var bucket = TokenBucket(rate: rate, now: 0)
        var passed = pieces.map { _ in [(at: Double, bytes: Int)]() }
        var next = pieces.map { _ in 0.0 }
        while let (index, now) = next.enumerated().min(by: { $0.element < $1.element }), now < seconds {
            if let pause, pause.contains(now) {
                next[index] = pause.upperBound
                continue
            }
            let at = now + Double(bucket.reserve(pieces[index], now: UInt64(now * 1e9))) / 1e9
            passed[index].append((at, pieces[index]))
            next[index] = at
        }
        return passed
    }

    @Test(arguments: [1024, 65_536, 1 << 20, 100 << 20] as [Int64], [nil, 3.0..<7.0])
    func `L2 over any five seconds no more than the limit passes`(rate: Int64, pause: Range<Double>?) {
        let gate = RateGate([RateLimiter(rate: rate)], priority: .normal)
        let passed = simulate(rate: rate, pieces: [gate.pieceSize, gate.pieceSize], seconds: 20, pause: pause)
            .flatMap(\.self).sorted { $0.at < $1.at }
        for start in stride(from: 0.0, through: 15, by: 0.25) {
            let bytes = passed.filter { start..<start + 5 ~= $0.at }.reduce(0) { $0 + $1.bytes }
            // The bytes accumulated during a pause pass at once, at most one second of them.
            let burst = pause == nil ? 0 : Double(rate)
            #expect(Double(bytes) <= Double(rate) * 5 * 1.05 + burst + Double(gate.pieceSize))
            if pause == nil { #expect(Double(bytes) >= Double(rate) * 5 * 0.95 - Double(2 * gate.pieceSize)) }
        }
    }

    @Test(
        arguments: [[.high, .normal], [.high, .low], [.high, .normal, .low], [.normal, .normal, .normal]]
            as [[Priority]])
    func `L3 shares of a limit follow the weights`(priorities: [Priority]) {
        let limiter = RateLimiter(rate: 1 << 20)
        let pieces = priorities.map { RateGate([limiter], priority: $0).pieceSize }
        let passed = simulate(rate: 1 << 20, pieces: pieces, seconds: 20)
            .map { $0.reduce(0) { $0 + $1.bytes } }
        let total = Double(passed.reduce(0, +))
        let weights = Double(priorities.reduce(0) { $0 + $1.weight })
        for (bytes, priority) in zip(passed, priorities) {
            #expect(abs(Double(bytes) / total - Double(priority.weight) / weights) < 0.05)
        }
    }
}

@Suite struct `Several rate limits` {
    /// A million bytes take long enough to make the one accumulated second negligible.
    @Test(
        arguments: [
            ([], 0), ([0], 0), ([1000], 1000), ([1000, 1000], 1000), ([1000, 0, 1000], 1000), ([2000, 500], 2000),
            ([500, 2000, 1000], 2000),
        ] as [([Int64], Double)])
    func `are waited for at the same time, not one after the other`(rates: [Int64], seconds: Double) {
        let gate = RateGate(rates.map { RateLimiter(rate: $0) }, priority: .normal)
        let wait = Double(gate.reserve(1_000_000)) / 1e9
        #expect(wait <= seconds && wait >= seconds - 1)
    }

    @Test(arguments: [([], true), ([0, 0], true), ([0, 5], false)] as [([Int64], Bool)])
    func `are open where there is none`(rates: [Int64], isOpen: Bool) {
        #expect(RateGate(rates.map { RateLimiter(rate: $0) }, priority: .normal).isOpen == isOpen)
    }
}
