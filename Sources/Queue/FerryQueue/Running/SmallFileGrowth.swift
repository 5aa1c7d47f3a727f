/// How many small files of one origin are transferred at a time: more while that raises the rate.
///
/// See docs/behaviour/transfers.md#L8. Pure value.
///
/// Small files spend most of their time waiting for the server, so over a distance the rate grows with their number. It is
/// measured over files that end while others wait: as many as are transferred at a time, after as many again that began
/// before the last step. A step that nearly doubles the rate is followed by one to the limit. One that does not raise it
/// is taken back, and one that raises it by less than its own size is shortened, but not while the rate still rises by
/// itself: a new connection over a long round trip does so for about a second.
package struct SmallFileGrowth: Hashable, Sendable {
    /// Maximum number over HTTP/1.1, where each file has a connection of its own.
    package static let mostConnections = 16

    /// Increase of the rate that justifies another step,
    private static let gain = 1.15
    /// and one that justifies going to the limit.
    private static let free = 1.6
    /// Increase between two measurements at the same number with which the rate rises by itself.
    private static let rising = 1.1
    /// How many more than the rate needs are kept after a step.
    private static let spare = 1.25
    /// Time without another step after one that was taken back, or after a refusal.
    private static let rest = Duration.seconds(60)
    /// Minimum number of files of a measurement.
    private static let fewest = 8
    /// Time without an end after which a measurement starts anew.
    private static let pause = Duration.seconds(5)

    /// Number of files at a time before any step.
    private let base: Int
    /// Number of files at a time.
    package private(set) var target: Int
    /// The number before the last step, and its rate.
    private var before: Measured?
    /// The last rate at the present number.
    private var latest: Double?
    /// Files that end before the next measurement begins.
    private var ignored = 0
    private var ended = 0
    private var began: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    private var restsUntil: ContinuousClock.Instant?

    private struct Measured: Hashable {
        let target: Int
        let rate: Double
    }

    /// - Parameter base: Number of files at a time before any step.
    package init(base: Int) { (self.base, target) = (base, base) }

    /// Records that files have ended together.
    ///
    /// - Parameters:
    ///   - isBusy: Whether others of the origin wait. Otherwise the rate says nothing about the server.
    ///   - limit: Maximum number of files at a time.
    package mutating func filesEnded(_ count: Int, isBusy: Bool, limit: Int, at now: ContinuousClock.Instant) {
        target = max(base, min(target, limit))
        guard isBusy, last.map({ $0.duration(to: now) < Self.pause }) ?? true else { return measureAnew(at: now) }
        last = now
        guard ignored == 0, let began else {
            ignored = max(0, ignored - count)
            began = now
            return
        }
        ended += count
        guard ended >= max(target, Self.fewest), now > began else { return }
        judge(Double(ended) / (began.duration(to: now) / .seconds(1)), limit: limit, at: now)
    }

    /// Records that the server refused a connection or a request because it is busy.
    package mutating func refused(at now: ContinuousClock.Instant) {
        restsUntil = now + Self.rest
        step(to: base, after: nil)
    }

    private mutating func judge(_ rate: Double, limit: Int, at now: ContinuousClock.Instant) {
        (ended, began) = (0, now)
        if let restsUntil {
            guard now >= restsUntil else { return }
            self.restsUntil = nil
            before = nil
        }
        let isRising = latest.map { rate > $0 * Self.rising } ?? true
        latest = rate
        let measured = Measured(target: target, rate: rate)
        guard let before, before.target < target else {
            if target < limit { step(to: min(target * 2, limit), after: measured) }
            return
        }
        guard rate >= before.rate * Self.gain else {
            if isRising { return }
            restsUntil = now + Self.rest
            return step(to: before.target, after: nil)
        }
        // As many as the new rate needs by the old ratio, and some more.
        let needed = Int((Double(before.target) * rate / before.rate * Self.spare).rounded(.up))
        if needed < target {
            if isRising { return }
            restsUntil = now + Self.rest
            return step(to: max(needed, before.target), after: nil)
        }
        guard target < limit else {
            self.before = measured
            return
        }
        step(to: rate >= before.rate * Self.free ? limit : min(target * 2, limit), after: measured)
    }

    /// - Parameter measured: What the next measurement is compared with.
    private mutating func step(to next: Int, after measured: Measured?) {
        ignored = next == target ? 0 : target
        target = next
        before = measured
        ended = 0
        (began, latest) = (nil, nil)
    }

    private mutating func measureAnew(at now: ContinuousClock.Instant) {
        (ended, began, last, ignored) = (0, nil, now, 0)
    }
}
