/// The part of a file that one worker fetches, and how it gets on.
package struct Segment: Hashable, Sendable {
    /// Where the worker began.
    package let start: Int64
    /// The first position behind it that is planned for another worker.
    package internal(set) var end: Int64
    /// The first position that the worker will not write: behind `end` until the worker that has the rest is known to get it.
    package internal(set) var limit: Int64
    /// The end of what has been written.
    package internal(set) var position: Int64
    /// Bytes per second; nil until it is known.
    package internal(set) var speed: Double?
    /// Since when bytes come, in seconds.
    package internal(set) var firstBytes: Double?
    /// When the last bytes came, or the segment was begun, in seconds.
    package internal(set) var lastBytes: Double
    /// Since when it has been far slower than the others, in seconds.
    package internal(set) var slowSince: Double?
    /// Whether its connection has been replaced for being slow.
    package internal(set) var hasReconnected = false

    /// Whether its connection has carried other work before, so that it is as fast as it will be.
    private let isWarm: Bool

    /// - Parameter speed: bytes per second of a connection that has carried other work before.
    init(_ range: Range<Int64>, speed: Double? = nil, now: Double) {
        isWarm = speed != nil
        self.speed = speed
        start = range.lowerBound
        end = range.upperBound
        limit = range.upperBound
        position = range.lowerBound
        lastBytes = now
    }

    /// Bytes that are missing.
    package var rest: Int64 { max(0, end - position) }

    /// Seconds until the rest is there; infinite while the speed is not known.
    package var restTime: Double {
        guard let speed, speed > 0 else { return .infinity }
        return Double(rest) / speed
    }

    /// How long a lower speed takes to be believed, in seconds,
    private static let memory = 1.0
    /// and how long a higher one, as connections speed up by themselves.
    private static let risingMemory = 0.25
    /// A speed is known after this time, in seconds.
    private static let firstLook = 0.25

    /// Takes note of how far the worker is.
    mutating func observe(_ newPosition: Int64, now: Double, since last: Double) {
        // A position before the part is one of other work.
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

    /// Whether its connection has had the time to speed up as far as it ever will.
    func isGrown(setup: Double, now: Double) -> Bool {
        firstBytes.map { speed != nil && (isWarm || now - $0 >= SegmentRule.growing * setup) } ?? false
    }

    /// Seconds until so many bytes more would be there, as far as that can be told.
    ///
    /// - Parameter usual: bytes per second of the workers that no longer speed up.
    /// - Returns: infinite if it should have begun long ago.
    func time(for bytes: Double, usual: Double?, setup: Double, now: Double) -> Double {
        if isGrown(setup: setup, now: now), let speed { return speed > 0 ? bytes / speed : .infinity }
        guard firstBytes != nil || now - lastBytes < max(1, 4 * setup) else { return .infinity }
        let begun = firstBytes != nil
        if !begun, let speed, speed > 0 { return setup + bytes / speed }
        let perTrip = begun ? max(SegmentRule.firstWindow, 2 * (speed ?? 0) * setup) : SegmentRule.firstWindow / 2
        return (begun ? 0 : setup) + SegmentRule.time(for: bytes, perTrip: perTrip, speed: usual, setup: setup)
    }
}

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

/// What one of several connections of a running transfer fetches. Positions are bytes from the beginning of the file.
package struct TransferSegment: Hashable, Codable, Sendable {
    package var start: Int64
    /// The end of the part, which it does not include.
    package var end: Int64
    /// The end of what is written of it.
    package var position: Int64
    /// Where it comes from: 0 is the transfer's own URL, then come its mirrors; nil from a peer that does not say so.
    package var source: Int?
    /// Bytes per second; nil until it is known.
    package var bytesPerSecond: Double?

    package init(
        start: Int64, end: Int64, position: Int64, source: Int? = nil, bytesPerSecond: Double? = nil
    ) {
        self.start = start
        self.end = end
        self.position = position
        self.source = source
        self.bytesPerSecond = bytesPerSecond
    }

    private enum CodingKeys: String, CodingKey {
        case start, end, position, source
        case bytesPerSecond = "bytes_per_second"
    }
}
