// Ferry: FerryCore
// A worker that would take work from another.

/// A worker that would take work from another, and what that costs it.
struct Thief {
    /// Bytes per second; nil if nothing is known of any worker.
    let speed: Double?
    /// Whether it has a connection that has carried its work before.
    let isWarm: Bool
    /// Seconds from a request to its first bytes.
    let setup: Double

    /// Seconds until it has fetched so many bytes.
    func time(for bytes: Double) -> Double {
        if isWarm, let speed, speed > 0 { return setup + bytes / speed }
        return 2 * setup
            + SegmentRule.time(for: bytes, perTrip: SegmentRule.firstWindow / 2, speed: speed, setup: setup)
    }
}

extension Segment {
    /// The part that a thief takes, so that both end together.
    ///
    /// - Returns: nil if the file would not be there enough earlier.
    func tail(for thief: Thief, usual: Double?, now: Double) -> Range<Int64>? {
        func time(_ bytes: Double) -> Double { self.time(for: bytes, usual: usual, setup: thief.setup, now: now) }
        let all = Double(rest)
        var (least, most) = (0.0, all)
        // Both times grow with the bytes, so that halving finds where they are equal.
        for _ in 0..<24 {
            let size = (least + most) / 2
            if thief.time(for: size) < time(all - size) { least = size } else { most = size }
        }
        let gain = SegmentRule.gain(setup: thief.setup, isWarm: thief.isWarm)
        guard time(all) - time(all - least) >= gain else { return nil }
        return tail(of: max(SegmentRule.grain, Int64(least)))
    }

    /// The last bytes, from a multiple of the grain on; nil if they are nearly all that is left.
    func tail(of size: Int64) -> Range<Int64>? {
        let start = (end - size + SegmentRule.grain - 1) / SegmentRule.grain * SegmentRule.grain
        return start > position && start < end ? start..<end : nil
    }
}
