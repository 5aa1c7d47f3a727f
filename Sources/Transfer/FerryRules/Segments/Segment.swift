/// The part of a file that one worker fetches, and its progress.
package struct Segment: Hashable, Sendable {
    /// First position.
    package let start: Int64
    /// End of the part, exclusive: the next position belongs to another worker.
    package internal(set) var end: Int64
    /// End of the positions that the worker may write. Beyond `end` until another worker has certainly taken over the
    /// bytes behind it.
    package internal(set) var limit: Int64
    /// End of the written bytes.
    package internal(set) var position: Int64
    /// Bytes per second, or nil if unknown.
    package internal(set) var speed: Double?
    /// Time of the first bytes, in seconds.
    package internal(set) var firstBytes: Double?
    /// Time of the last bytes, or of the start, in seconds.
    package internal(set) var lastBytes: Double
    /// The time since which it has been much slower than the others, in seconds.
    package internal(set) var slowSince: Double?
    /// Whether its slow connection has been replaced.
    package internal(set) var hasReconnected = false

    /// Whether its connection has been used before and is therefore at full speed.
    private let isWarm: Bool

    /// - Parameter speed: Bytes per second of a connection that has been used before.
    init(_ range: Range<Int64>, speed: Double? = nil, now: Double) {
        isWarm = speed != nil
        self.speed = speed
        start = range.lowerBound
        end = range.upperBound
        limit = range.upperBound
        position = range.lowerBound
        lastBytes = now
    }

    /// Number of missing bytes.
    package var rest: Int64 { max(0, end - position) }

    /// Seconds until the missing bytes have arrived. Infinite while the speed is unknown.
    package var restTime: Double {
        guard let speed, speed > 0 else { return .infinity }
        return Double(rest) / speed
    }

    /// Time constant for a falling speed, in seconds,
    private static let memory = 1.0
    /// and for a rising one, since connections speed up by themselves.
    private static let risingMemory = 0.25
    /// Seconds after which the speed is known.
    private static let firstLook = 0.25

    /// Records the worker's position.
    mutating func observe(_ newPosition: Int64, now: Double, since last: Double) {
        // A position before the part belongs to earlier work.
        guard newPosition >= position else { return }
        let bytes = newPosition - position
        position = newPosition
        if bytes > 0 {
            firstBytes = firstBytes ?? max(last, lastBytes)
            lastBytes = now
        }
        guard let firstBytes, now > last else { return }
        if let speed {
            let present = Double(bytes) / (now - last)
            let memory = present > speed ? Self.risingMemory : Self.memory
            self.speed = speed + (present - speed) * min(1, (now - last) / memory)
        } else if now - firstBytes >= Self.firstLook {
            speed = Double(newPosition - start) / (now - firstBytes)
        }
    }

    // MARK: Sharing

    /// Whether its connection has had time to reach full speed.
    func isGrown(setup: Double, now: Double) -> Bool {
        firstBytes.map { speed != nil && (isWarm || now - $0 >= SegmentRule.growing * setup) } ?? false
    }

    /// Estimated seconds until so many more bytes have arrived.
    ///
    /// - Parameter usual: Bytes per second of workers at full speed.
    /// - Returns: Infinite if the first bytes are long overdue.
    func time(for bytes: Double, usual: Double?, setup: Double, now: Double) -> Double {
        if isGrown(setup: setup, now: now), let speed { return speed > 0 ? bytes / speed : .infinity }
        guard firstBytes != nil || now - lastBytes < max(1, 4 * setup) else { return .infinity }
        let begun = firstBytes != nil
        if !begun, let speed, speed > 0 { return setup + bytes / speed }
        let perTrip = begun ? max(SegmentRule.firstWindow, 2 * (speed ?? 0) * setup) : SegmentRule.firstWindow / 2
        return (begun ? 0 : setup) + SegmentRule.time(for: bytes, perTrip: perTrip, speed: usual, setup: setup)
    }
}

/// A worker that may steal work from another, and its cost.
struct Thief {
    /// Bytes per second, or nil if no worker's speed is known.
    let speed: Double?
    /// Whether it has a connection that has been used before.
    let isWarm: Bool
    /// Seconds from a request to its first bytes.
    let setup: Double

    /// Seconds to fetch so many bytes.
    func time(for bytes: Double) -> Double {
        if isWarm, let speed, speed > 0 { return setup + bytes / speed }
        return 2 * setup
            + SegmentRule.time(for: bytes, perTrip: SegmentRule.firstWindow / 2, speed: speed, setup: setup)
    }
}

extension Segment {
    /// The part that a thief takes, so that both finish together.
    ///
    /// - Returns: Nil if the file would not be finished sufficiently earlier.
    func tail(for thief: Thief, usual: Double?, now: Double) -> Range<Int64>? {
        func time(_ bytes: Double) -> Double { self.time(for: bytes, usual: usual, setup: thief.setup, now: now) }
        let all = Double(rest)
        var (least, most) = (0.0, all)
        // Both times grow with the bytes, so bisection finds the point where they are equal.
        for _ in 0..<24 {
            let size = (least + most) / 2
            if thief.time(for: size) < time(all - size) { least = size } else { most = size }
        }
        let gain = SegmentRule.gain(setup: thief.setup, isWarm: thief.isWarm)
        guard time(all) - time(all - least) >= gain else { return nil }
        return tail(of: max(SegmentRule.grain, Int64(least)))
    }

    /// The last bytes, starting at a multiple of the grain, or nil if they are nearly all that is missing.
    func tail(of size: Int64) -> Range<Int64>? {
        let start = (end - size + SegmentRule.grain - 1) / SegmentRule.grain * SegmentRule.grain
        return start > position && start < end ? start..<end : nil
    }
}
