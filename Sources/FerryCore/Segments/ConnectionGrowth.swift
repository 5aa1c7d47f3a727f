// Ferry: FerryCore
// How many connections a transfer has where nobody gave a number.

/// How many connections a transfer has where nobody gave a number: more only while they bring something (spec S3, S4).
///
/// 1, 2, 4 and so on, or all after a step that nearly doubled the speed; each step is judged by the speed of the whole before
/// and after it. Times are seconds of a steady clock.
package struct ConnectionGrowth: Sendable {
    private enum Phase: Sendable {
        /// Until every worker has had bytes for long enough.
        case settling
        /// No more growth before this time.
        case plateau(until: Double)
    }

    private struct Sample: Sendable {
        let at: Double
        let bytes: Int64
    }

    /// The speed must grow by this factor for one more step,
    private static let gain = 1.15
    /// by this for the next step to go all the way, since each connection seems to be held back on its own,
    private static let free = 1.7
    /// and by this for the step to be kept.
    private static let worth = 1.05
    /// After so many seconds on a plateau one more step is tried,
    private static let rest = 60.0
    /// so many times.
    private static let retries = 3

    /// Workers that the transfer should have.
    package private(set) var target = 1
    /// How many there were before the last step.
    private var kept = 1
    private let limit: Int
    private var phase = Phase.settling
    private var samples: [Sample] = []
    /// The speed before the last step, in bytes per second.
    private var before: Double?
    private var retried = 0

    /// - Parameter limit: connections at most.
    package init(limit: Int) { self.limit = limit }

    /// Looks at the transfer and decides how many workers it should have.
    ///
    /// - Parameters:
    ///   - received: bytes so far.
    ///   - missing: bytes to come.
    ///   - fullSince: since when as many workers as wanted have all received something; nil while they have not.
    ///   - setup: seconds from a request to its first bytes.
    package mutating func look(
        received: Int64, missing: Int64, fullSince: Double?, setup: Double, allowed: Int, now: Double
    ) {
        let span = SegmentRule.span(setup: setup)
        samples.append(Sample(at: now, bytes: received))
        while samples.count > 2, now - samples[1].at >= span { samples.removeFirst() }
        if target > allowed {
            target = max(1, allowed)
            rest(now)
        }
        guard let fullSince, now - fullSince >= span, let first = samples.first, now > first.at else { return }
        let speed = Double(received - first.bytes) / (now - first.at)
        switch phase {
        case .settling: judge(speed, missing, setup, allowed, now)
        case .plateau(let until):
            guard now >= until, retried < Self.retries else { return }
            retried += 1
            before = nil
            judge(speed, missing, setup, allowed, now)
        }
    }

    private mutating func judge(_ speed: Double, _ missing: Int64, _ setup: Double, _ allowed: Int, _ now: Double) {
        if let before {
            if speed < before * Self.worth {
                target = kept
                return rest(now)
            }
            if speed < before * Self.gain { return rest(now) }
        }
        let isFree = before.map { $0 > 0 && speed >= $0 * Self.free } ?? false
        let next = min(isFree ? limit : target * 2, limit, allowed)
        guard next > target else { return rest(now) }
        // A transfer that is about to end gains nothing; it may slow down again.
        guard missing > 0, Double(missing) >= speed * SegmentRule.worthGrowing(setup: setup) else { return }
        before = speed
        kept = target
        target = next
        phase = .settling
    }

    private mutating func rest(_ now: Double) { phase = .plateau(until: now + Self.rest) }
}
