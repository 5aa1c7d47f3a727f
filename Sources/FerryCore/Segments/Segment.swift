// Ferry: FerryCore
// The part of a file that one worker fetches.

/// The part of a file that one worker fetches, and how it gets on.
package struct Segment: Hashable, Sendable {
    /// Where the worker began.
    package let start: Int64
    /// The first position behind it that is planned for somebody else.
    package internal(set) var end: Int64
    /// The first position that the worker will not write: behind `end` until whoever has the rest is known to get it.
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
    /// - Parameter usual: bytes per second of those that no longer speed up.
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
