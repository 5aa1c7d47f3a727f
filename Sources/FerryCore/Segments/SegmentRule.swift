import FerryFoundation

/// The numbers by which work is shared among connections (docs/behaviour/transfers.md#several-connections).
package enum SegmentRule {
    /// More than one worker pays from so many missing bytes on.
    package static let worthSharing: Int64 = 2 << 20
    /// Work is taken from segments of unknown speed with at least so many missing bytes,
    package static let stolenFrom: Int64 = 1 << 20
    /// and from segments of known speed with at least so many,
    package static let stolenFromSlow: Int64 = 128 << 10
    /// in parts of at least so many bytes where a speed is unknown,
    package static let smallest: Int64 = 512 << 10
    /// that begin at multiples of this.
    package static let grain: Int64 = 64 << 10
    /// A worker is slow below this share of the median speed,
    package static let slowShare = 0.2
    /// and loses its rest to one without work after so many seconds,
    package static let endGame = 3.0
    /// or its connection after so many.
    package static let slowness = 10.0
    /// A worker without a byte for so many seconds, while others receive, loses its rest.
    package static let silence = 5.0
    /// Extra workers that get no usable part before there are none for this transfer.
    package static let refusals = 2
    /// Workers that a transfer gets at most where no number was given.
    package static let chosen = 8

    /// Bytes that a new connection brings in its first round trip (RFC 6928).
    package static let firstWindow = 14_480.0
    /// Round trips in which a connection speeds up by itself.
    package static let growing = 8.0

    /// Whether a connection speeds up for so long that its speed says little about the next moments.
    package static func isLong(_ setup: Double) -> Bool { growing * setup > 0.25 }

    /// Seconds for so many bytes over a connection that speeds up by itself.
    ///
    /// - Parameters:
    ///   - perTrip: what the round trip before brought; each brings twice as much as the one before.
    ///   - speed: bytes per second that it comes to at most; nil if that is not known.
    package static func time(for bytes: Double, perTrip: Double, speed: Double?, setup: Double) -> Double {
        guard let speed, speed > 0 else { return setup * log2(1 + bytes / (2 * perTrip)) }
        let trips = max(0, log2(max(1, speed * setup / (2 * perTrip))))
        let early = 2 * perTrip * (exp2(trips) - 1)
        return bytes <= early
            ? setup * log2(1 + bytes / (2 * perTrip)) : setup * trips + (bytes - early) / speed
    }

    /// Seconds that must be won for work to be taken from another worker.
    ///
    /// - Parameter isWarm: whether that costs no new connection.
    package static func gain(setup: Double, isWarm: Bool) -> Double {
        isWarm ? max(0.1, setup) : max(0.5, setup)
    }

    /// Seconds over which a speed is compared, by the seconds that a request needs to its first bytes.
    package static func span(setup: Double) -> Double { max(0.25, 3 * setup) }

    /// Seconds that a transfer must still need for another worker to pay.
    package static func worthGrowing(setup: Double) -> Double { max(1, 8 * setup) }

    /// Seconds over which it is seen whether a connection that went is missed.
    package static func weighing(setup: Double) -> Double { max(1, 20 * setup) }

    /// Seconds that a transfer must still need for such a trial to pay.
    package static let worthWeighing = 20.0

    /// How many workers are to go; one stays, if there is one.
    ///
    /// - Parameters:
    ///   - wanted: how many there should be.
    ///   - excess: how many connections are needed for something else.
    package static func tooMany(active: Int, wanted: Int, excess: Int) -> Int {
        max(0, min(max(active - wanted, excess), active - 1))
    }
}
