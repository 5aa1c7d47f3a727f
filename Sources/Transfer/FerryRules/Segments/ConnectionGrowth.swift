import FerryFoundation

/// The number of connections of a transfer without a fixed number: it grows only while more connections help.
///
/// See docs/behaviour/transfers.md#S4.
///
/// Over a long round trip a connection speeds up by itself for about a second, so no step can be judged meanwhile. If
/// much is left even so, one more connection is opened, and once it has received something, all that are allowed. When
/// speeds stop rising they are weighed: one connection closes, then half of them, as long as the others are as fast
/// without. Otherwise there are 1, 2, 4 and so on, or all after a step that nearly doubled the speed. Each step is
/// judged by the total speed before and after it. Times are seconds of a monotonic clock.
package struct ConnectionGrowth: Sendable {
    private enum Phase: Sendable {
        /// The speed is rising by itself, or not known yet.
        case opening
        /// The effect of the last steps is unknown until speeds stop rising.
        case unjudged
        /// Fewer connections since this time, compared with this speed.
        case weighing(since: Double, against: Double)
        /// Until every worker has received bytes for long enough.
        case settling
        /// No growth before this time.
        case plateau(until: Double)
    }

    /// Speed-up that justifies another step,
    private static let gain = 1.15
    /// that justifies going to the limit, since each connection seems to be throttled individually,
    private static let free = 1.7
    /// and that justifies keeping the step.
    private static let worth = 1.05
    /// Seconds after which the speed of a slow but near server is known.
    private static let firstLook = 0.05
    /// A connection in slow start receives more than this times as much in two round trips as in the two before.
    private static let rising = 1.5
    /// Seconds on a plateau before another step,
    private static let rest = 60.0
    /// and maximum number of such steps.
    private static let retries = 3

    /// Desired number of workers.
    package private(set) var target = 1
    /// Number of workers before the last step.
    private var kept = 1
    private let limit: Int
    private var phase = Phase.opening
    private var samples = SpeedSamples()
    /// Speed before the last step, in bytes per second.
    private var before: Double?
    private var retried = 0

    /// - Parameter limit: Maximum number of connections.
    package init(limit: Int) { self.limit = limit }

    /// Whether a decision may depend on the next round trip.
    package var isOpening: Bool { if case .opening = phase { true } else { false } }

    /// Number of workers that the next step may add. Their connections may be opened in advance.
    ///
    /// - Parameters:
    ///   - missing: Missing bytes.
    ///   - setup: Seconds from a request to its first bytes.
    package func prospect(missing: Int64, setup: Double, allowed: Int, now: Double) -> Int {
        let most = max(target, min(limit, allowed))
        guard isOpening, target == 1 else { return isOpening ? most : target }
        // Until the first bytes are measured, a server that responds slowly counts as distant.
        guard SegmentRule.isLong(setup), now - (samples.begin ?? now) < Self.firstLook,
            rising(missing, from: SegmentRule.firstWindow, setup) >= SegmentRule.worthGrowing(setup: setup)
        else { return target }
        return min(2, most)
    }

    /// Updates the desired number of workers.
    ///
    /// - Parameters:
    ///   - received: Bytes so far.
    ///   - missing: Missing bytes.
    ///   - receiving: Workers that have received something.
    ///   - fullSince: The time since which the desired number of workers have all received something, or nil.
    ///   - setup: Seconds from a request to its first bytes.
    package mutating func update(
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

    // MARK: Slow start

    /// A round trip that is long enough to measure.
    private func trip(_ setup: Double) -> Double { max(setup, 0.05) }

    /// Seconds for so many bytes while each round trip brings twice as much as the previous one.
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
        // Slow start: each round trip brings twice as much as the previous one.
        let perTrip = max(SegmentRule.firstWindow, Double(latest) * trip(setup) / min(two, now - begun))
        let left = rising(missing, from: perTrip, setup)
        // Once a second connection is open, half the remaining time justifies opening the others.
        guard left >= SegmentRule.worthGrowing(setup: setup) / (target > 1 ? 2 : 1) else { return }
        target = target == 1 ? min(2, most) : most
    }

    /// Closes a connection to test whether it contributes.
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
        // Half of the closed connections' share, if all had equal shares.
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
        // A transfer close to its end gains nothing, and may slow down again.
        guard missing > 0, Double(missing) >= speed * SegmentRule.worthGrowing(setup: setup) else { return }
        before = speed
        kept = target
        target = next
        phase = .settling
    }

    private mutating func rest(_ now: Double) { phase = .plateau(until: now + Self.rest) }
}

/// Byte counts by time. Times are seconds of a monotonic clock.
struct SpeedSamples: Sendable {
    private struct Sample: Sendable {
        let at: Double
        let bytes: Int64
    }

    private var samples: [Sample] = []
    /// Time of the first sample.
    private(set) var begin: Double?

    /// Adds a sample, and drops all but one of the samples older than `span`.
    mutating func note(_ bytes: Int64, at now: Double, keeping span: Double) {
        begin = begin ?? now
        samples.append(Sample(at: now, bytes: bytes))
        while samples.count > 2, now - samples[1].at >= span { samples.removeFirst() }
    }

    /// Bytes received between two times.
    func bytes(from start: Double, to end: Double) -> Int64 {
        max(0, (last(end)?.bytes ?? 0) - (last(start)?.bytes ?? samples.first?.bytes ?? 0))
    }

    /// Bytes per second over a time span, or the known part of it, or nil without samples.
    func speed(over span: Double, until end: Double) -> Double? {
        guard let newest = last(end), let oldest = last(end - span) ?? samples.first, newest.at > oldest.at else {
            return nil
        }
        return Double(newest.bytes - oldest.bytes) / (newest.at - oldest.at)
    }

    /// The last sample at or before a time.
    private func last(_ time: Double) -> Sample? { samples.last { $0.at <= time + 1e-9 } }
}
