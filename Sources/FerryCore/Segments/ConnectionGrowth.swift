import FerryFoundation

/// How many connections a transfer has that was given no number: more only while they bring something.
///
/// See docs/behaviour/transfers.md#S4.
///
/// Over a long round trip a connection speeds up by itself for about a second, so that no step can be judged meanwhile: if
/// much is to come even so, one more is opened, then, as soon as that one has brought something, all that there may be.
/// Once nothing rises any more they are weighed: one goes, then half of them, as long as the rest is as fast without.
/// Otherwise there are 1, 2, 4 and so on, or all after a step that nearly doubled the speed; each step is judged by the
/// speed of the whole before and after it. Times are seconds of a steady clock.
package struct ConnectionGrowth: Sendable {
    private enum Phase: Sendable {
        /// The speed rises by itself, or that is not known yet.
        case opening
        /// Steps were taken whose effect is not known; until nothing rises any more.
        case unjudged
        /// Fewer are tried since this time, and compared with this speed.
        case weighing(since: Double, against: Double)
        /// Until every worker has had bytes for long enough.
        case settling
        /// No more growth before this time.
        case plateau(until: Double)
    }

    /// The speed must grow by this factor for one more step,
    private static let gain = 1.15
    /// by this for the next step to go all the way, since each connection seems to be held back on its own,
    private static let free = 1.7
    /// and by this for the step to be kept.
    private static let worth = 1.05
    /// Seconds in which a server that was slow to answer, and is not far away, has brought enough to be known by it.
    private static let firstLook = 0.05
    /// A connection that doubles its speed with each round trip brings more than this times as much in two of them as in
    /// the two before.
    private static let rising = 1.5
    /// After so many seconds on a plateau one more step is tried,
    private static let rest = 60.0
    /// so many times.
    private static let retries = 3

    /// Workers that the transfer should have.
    package private(set) var target = 1
    /// How many there were before the last step.
    private var kept = 1
    private let limit: Int
    private var phase = Phase.opening
    private var samples = SpeedSamples()
    /// The speed before the last step, in bytes per second.
    private var before: Double?
    private var retried = 0

    /// - Parameter limit: connections at most.
    package init(limit: Int) { self.limit = limit }

    /// Whether a decision may depend on the next round trip.
    package var isOpening: Bool { if case .opening = phase { true } else { false } }

    /// Workers that the next step may bring; connections for them may be opened while it is decided.
    ///
    /// - Parameters:
    ///   - missing: bytes to come.
    ///   - setup: seconds from a request to its first bytes.
    package func prospect(missing: Int64, setup: Double, allowed: Int, now: Double) -> Int {
        let most = max(target, min(limit, allowed))
        guard isOpening, target == 1 else { return isOpening ? most : target }
        // Until it is known what comes, a server that takes long to answer is taken for one that is far away.
        guard SegmentRule.isLong(setup), now - (samples.begin ?? now) < Self.firstLook,
            rising(missing, from: SegmentRule.firstWindow, setup) >= SegmentRule.worthGrowing(setup: setup)
        else { return target }
        return min(2, most)
    }

    /// Looks at the transfer and decides how many workers it should have.
    ///
    /// - Parameters:
    ///   - received: bytes so far.
    ///   - missing: bytes to come.
    ///   - receiving: workers that have received something.
    ///   - fullSince: since when as many workers as wanted have all received something; nil while they have not.
    ///   - setup: seconds from a request to its first bytes.
    package mutating func look(
        received: Int64, missing: Int64, receiving: Int, fullSince: Double?, setup: Double, allowed: Int, now: Double
    ) {
        samples.note(received, at: now, keeping: max(SegmentRule.weighing(setup: setup), 4 * trip(setup)))
        if target > allowed {
            target = max(1, allowed)
            rest(now)
        }
        if isOpening { return open(missing, receiving: receiving, setup, min(limit, allowed), now) }
        let span = SegmentRule.span(setup: setup)
        guard let fullSince, now - fullSince >= span else { return }
        switch phase {
        case .opening: break
        case .unjudged: weigh(missing, setup, now)
        case .weighing(let since, let reference): judgeFewer(since, reference, setup, now)
        case .settling: judge(span, missing, setup, allowed, now)
        case .plateau(let until):
            guard now >= until, retried < Self.retries else { return }
            retried += 1
            before = nil
            judge(span, missing, setup, allowed, now)
        }
    }

    // MARK: While the speed rises by itself

    /// A round trip that can be told apart from the next.
    private func trip(_ setup: Double) -> Double { max(setup, 0.05) }

    /// Seconds for so many bytes while each round trip brings twice as much as the one before.
    private func rising(_ missing: Int64, from perTrip: Double, _ setup: Double) -> Double {
        setup * log2(1 + Double(missing) / (2 * perTrip))
    }

    private mutating func open(_ missing: Int64, receiving: Int, _ setup: Double, _ most: Int, _ now: Double) {
        let two = 2 * trip(setup)
        guard let begun = samples.begin, now - begun >= Self.firstLook else { return }
        let latest = samples.bytes(from: now - two, to: now)
        let earlier = samples.bytes(from: now - 2 * two, to: now - two)
        if now - begun >= 2 * two, Double(latest) < Self.rising * Double(earlier) {
            phase = target > 1 ? .unjudged : .settling
            return
        }
        guard receiving >= target, target < most else { return }
        // The next round trips bring twice as much each as the one before.
        let perTrip = max(SegmentRule.firstWindow, Double(latest) * trip(setup) / min(two, now - begun))
        let left = rising(missing, from: perTrip, setup)
        // Once a second connection is open, half as much time left is enough to open the others.
        guard left >= SegmentRule.worthGrowing(setup: setup) / (target > 1 ? 2 : 1) else { return }
        target = target == 1 ? min(2, most) : most
    }

    /// Takes one away, to see whether it brings anything.
    private mutating func weigh(_ missing: Int64, _ setup: Double, _ now: Double) {
        let span = SegmentRule.weighing(setup: setup)
        guard let recent = samples.speed(over: span / 2, until: now),
            let earlier = samples.speed(over: span / 2, until: now - span / 2),
            recent < earlier * Self.gain, let speed = samples.speed(over: span, until: now)
        else { return }
        guard Double(missing) >= speed * SegmentRule.worthWeighing else { return }
        kept = target
        target -= 1
        phase = .weighing(since: now, against: speed)
    }

    private mutating func judgeFewer(_ since: Double, _ reference: Double, _ setup: Double, _ now: Double) {
        let span = SegmentRule.weighing(setup: setup)
        guard now - since >= span, let speed = samples.speed(over: span, until: now) else { return }
        // Half of what the closed connections would have brought, if each brought the same.
        let lost = 0.5 * Double(kept - target) / Double(kept)
        guard speed >= reference * (1 - lost) else {
            target = kept
            return rest(now)
        }
        guard target > 1 else { return rest(now) }
        kept = target
        target /= 2
        phase = .weighing(since: now, against: reference)
    }

    // MARK: Step by step

    private mutating func judge(
        _ span: Double, _ missing: Int64, _ setup: Double, _ allowed: Int, _ now: Double
    ) {
        guard let speed = samples.speed(over: span, until: now) else { return }
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

/// How many bytes came when. Times are seconds of a steady clock.
struct SpeedSamples: Sendable {
    private struct Sample: Sendable {
        let at: Double
        let bytes: Int64
    }

    private var samples: [Sample] = []
    /// When the first sample was taken.
    private(set) var begin: Double?

    /// Takes a sample, and forgets all but one of the samples that are older than asked for.
    mutating func note(_ bytes: Int64, at now: Double, keeping span: Double) {
        begin = begin ?? now
        samples.append(Sample(at: now, bytes: bytes))
        while samples.count > 2, now - samples[1].at >= span { samples.removeFirst() }
    }

    /// Bytes that came between two times.
    func bytes(from start: Double, to end: Double) -> Int64 {
        max(0, (last(end)?.bytes ?? 0) - (last(start)?.bytes ?? samples.first?.bytes ?? 0))
    }

    /// Bytes per second over so long a time, or the time that is known of it; nil if nothing is.
    func speed(over span: Double, until end: Double) -> Double? {
        guard let newest = last(end), let oldest = last(end - span) ?? samples.first, newest.at > oldest.at else {
            return nil
        }
        return Double(newest.bytes - oldest.bytes) / (newest.at - oldest.at)
    }

    /// The last sample that is not later.
    private func last(_ time: Double) -> Sample? { samples.last { $0.at <= time + 1e-9 } }
}
