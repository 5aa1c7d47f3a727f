package import FerryCore

/// Assigns parts of a file to workers (docs/behaviour/transfers.md#several-connections).
///
/// Segments are disjoint. Together with the unassigned gaps they cover all missing bytes. Times are seconds of a
/// monotonic clock. A worker is a number. Connections are unknown here.
package struct SegmentPlan: Sendable {
    package typealias Worker = Int

    /// Work for a worker.
    package struct Assignment: Hashable, Sendable {
        package let range: Range<Int64>
        /// The worker whose whole remaining part this is. It must stop before the new one begins.
        package var replaced: Worker?
    }

    /// Why a worker should not continue as it is.
    package enum Trouble: Hashable, Sendable {
        /// No bytes for long while others receive: its part goes to a free worker.
        case silent
        /// Much slower than the others for long: another connection may help.
        case slow
    }

    package private(set) var segments: [Worker: Segment] = [:]
    /// Missing bytes that no worker has.
    package private(set) var gaps: ByteRangeSet
    /// Bytes written by workers that have left.
    private var done = ByteRangeSet()
    private var observedAt: Double
    /// The last known mean speed of workers at full speed.
    private var usual: Double?

    package init(gaps: ByteRangeSet, now: Double) {
        self.gaps = gaps
        observedAt = now
    }

    /// Number of missing bytes.
    package var missing: Int64 { gaps.byteCount + segments.values.reduce(0) { $0 + $1.rest } }

    // MARK: Assignment

    /// Starts a worker with a range that it has already requested.
    package mutating func begin(_ worker: Worker, with range: Range<Int64>, now: Double) {
        gaps.remove(range)
        segments[worker] = Segment(range, now: now)
    }

    /// Whether there is work for another worker.
    package func hasWork(setup: Double) -> Bool {
        !gaps.isEmpty || theft(setup: setup, speed: nil, isWarm: false, now: observedAt) != nil
            || straggler(now: observedAt) != nil
    }

    /// Assigns the most useful part to an idle worker: the largest gap, otherwise the tail of the segment that would
    /// finish last, otherwise the whole rest of one that hardly progresses. Returns nil if no part is worth it.
    ///
    /// - Parameters:
    ///   - setup: Seconds from a request to its first bytes.
    ///   - speed: Bytes per second of the worker's previous work.
    ///   - isWarm: Whether the worker has a connection that has been used before.
    package mutating func assign(
        _ worker: Worker, setup: Double, speed: Double?, isWarm: Bool = false, now: Double
    ) -> Assignment? {
        if let gap = gaps.ranges.max(by: { $0.count < $1.count }) {
            begin(worker, with: gap, now: now)
            return Assignment(range: gap)
        }
        if let (victim, tail) = theft(setup: setup, speed: speed, isWarm: isWarm, now: now) {
            segments[victim]?.end = tail.lowerBound
            segments[worker] = Segment(tail, speed: isWarm ? speed : nil, now: now)
            return Assignment(range: tail)
        }
        if let victim = straggler(now: now), let segment = segments[victim] {
            let rest = segment.position..<segment.end
            segments[victim] = nil
            segments[worker] = Segment(rest, now: now)
            return Assignment(range: rest, replaced: victim)
        }
        return nil
    }

    /// The worker to steal from, and the part: the one that would finish last, if that justifies a request.
    private func theft(
        setup: Double, speed: Double?, isWarm: Bool, now: Double
    ) -> (victim: Worker, tail: Range<Int64>)? {
        let times = segments.mapValues { segment in
            let time = segment.time(for: Double(segment.rest), usual: usual, setup: setup, now: now)
            // While no speed is known, another connection is wanted regardless, except for a part that finishes soon.
            let isOpen = usual == nil && speed == nil && !segment.isGrown(setup: setup, now: now)
            let isSoon =
                segment.firstBytes != nil && SegmentRule.isLong(setup)
                && time < SegmentRule.worthGrowing(setup: setup) / 2
            return isOpen && !isSoon ? .infinity : time
        }
        let most = segments.filter { worker, segment in
            segment.rest >= (times[worker] == .infinity ? SegmentRule.stolenFrom : SegmentRule.stolenFromSlow)
        }
        .max {
            (times[$0.key] ?? 0, $0.value.rest, $1.key) < (times[$1.key] ?? 0, $1.value.rest, $0.key)
        }
        guard let (victim, segment) = most, let time = times[victim] else { return nil }
        let thief = Thief(speed: speed ?? usual, isWarm: isWarm, setup: setup)
        let tail =
            time == .infinity
            ? segment.tail(of: max(SegmentRule.smallest, segment.rest / 2))
            : segment.tail(for: thief, usual: usual, now: now)
        return tail.map { (victim, $0) }
    }

    /// A worker that has been much slower than the others for a while.
    private func straggler(now: Double) -> Worker? {
        segments.filter { $0.value.rest > 0 && now - ($0.value.slowSince ?? now) >= SegmentRule.endGame }
            .max { ($0.value.restTime, $1.key) < ($1.value.restTime, $0.key) }?.key
    }

    // MARK: Progress

    /// Workers that would write the same bytes as a worker whose response is good.
    package func victims(of worker: Worker) -> [Worker] {
        guard let start = segments[worker]?.start else { return [] }
        return segments.filter { $0.key != worker && $0.value.start < start && $0.value.limit > start }.map(\.key)
    }

    /// Whether a worker that has left has already written the next bytes of another worker.
    package func isOvertaken(_ worker: Worker) -> Bool {
        guard let start = segments[worker]?.start else { return true }
        return done.contiguousEnd(from: start) > start
    }

    /// Records that a worker will not write at or beyond a position.
    package mutating func lowered(_ worker: Worker, to limit: Int64) { segments[worker]?.limit = limit }

    /// Moves the start of a segment forward, because its previous worker has progressed meanwhile.
    package mutating func advance(_ worker: Worker, to position: Int64, now: Double) {
        guard let segment = segments[worker], position > segment.start else { return }
        segments[worker] = position < segment.end ? Segment(position..<segment.end, now: now) : nil
    }

    /// Removes a worker. Its missing bytes go to the worker about to reach them, or become a gap.
    package mutating func leave(_ worker: Worker, at position: Int64) {
        guard let segment = segments.removeValue(forKey: worker) else { return }
        let position = max(position, segment.start)
        done.insert(segment.start..<position)
        if position < segment.end { gaps.insert(position..<segment.end) }
        // A worker whose limit was not lowered in time may have written beyond its end.
        for range in done.ranges { gaps.remove(range) }
        for other in segments.values { gaps.remove(other.start..<other.position) }
        absorb()
    }

    /// Drops written bytes that are invalid.
    package mutating func lose(_ range: Range<Int64>) {
        done.remove(range)
        gaps.insert(range)
        for segment in segments.values { gaps.remove(segment.start..<segment.end) }
    }

    /// Extends a worker whose limit was never lowered into the gap that it is about to reach.
    private mutating func absorb() {
        var again = true
        while again {
            again = false
            for (worker, segment) in segments where segment.limit > segment.end {
                let reached = max(segment.end, segment.position)
                guard let gap = gaps.ranges.first(where: { $0.lowerBound == reached }) else { continue }
                let end = min(gap.upperBound, segment.limit)
                guard end > gap.lowerBound else { continue }
                segments[worker]?.end = end
                gaps.remove(gap.lowerBound..<end)
                again = true
            }
        }
    }

    // MARK: Watching

    /// Records the workers' positions.
    package mutating func observe(_ positions: [Worker: Int64], setup: Double = 0, now: Double) {
        for (worker, position) in positions { segments[worker]?.observe(position, now: now, since: observedAt) }
        observedAt = now
        let grown = segments.values.filter { $0.isGrown(setup: setup, now: now) }.compactMap(\.speed)
        if !grown.isEmpty { usual = grown.reduce(0, +) / Double(grown.count) }
        let speeds = segments.values.compactMap(\.speed).sorted()
        // The last active worker has no other to be compared with, so its state stays.
        guard speeds.count > 1 else { return }
        let median = speeds[speeds.count / 2]
        for (worker, segment) in segments {
            let isSlow = segment.speed.map { $0 < SegmentRule.slowShare * median } ?? false
            segments[worker]?.slowSince = isSlow ? segment.slowSince ?? now : nil
        }
    }

    /// Workers that should not continue as they are.
    package func troubles(setup: Double, now: Double) -> [Worker: Trouble] {
        let silence = max(SegmentRule.silence, 4 * setup)
        let receives = segments.values.contains { now - $0.lastBytes < 1 && $0.firstBytes != nil }
        var troubles: [Worker: Trouble] = [:]
        for (worker, segment) in segments where receives && segment.rest > 0 {
            if now - segment.lastBytes >= silence {
                troubles[worker] = .silent
            } else if !segment.hasReconnected, let since = segment.slowSince, now - since >= SegmentRule.slowness {
                troubles[worker] = .slow
            }
        }
        return troubles
    }

    /// Records that a worker's connection was replaced, which happens once per segment.
    package mutating func reconnected(_ worker: Worker) { segments[worker]?.hasReconnected = true }
}
