import FerryFoundation

/// Parameters for sharing work among connections (docs/behaviour/transfers.md#several-connections).
package enum SegmentRule {
    /// Minimum missing bytes for more than one worker.
    package static let worthSharing: Int64 = 2 << 20
    /// Minimum missing bytes of a segment of unknown speed to steal from,
    package static let stolenFrom: Int64 = 1 << 20
    /// and of a segment of known speed,
    package static let stolenFromSlow: Int64 = 128 << 10
    /// and minimum part to steal while a speed is unknown.
    package static let smallest: Int64 = 512 << 10
    /// Stolen parts begin at multiples of this.
    package static let grain: Int64 = 64 << 10
    /// A worker below this share of the median speed is slow.
    package static let slowShare = 0.2
    /// Seconds after which a slow worker loses its part to an idle one,
    package static let endGame = 3.0
    /// or its connection.
    package static let slowness = 10.0
    /// Seconds without bytes, while others receive, after which a worker loses its part.
    package static let silence = 5.0
    /// Number of extra workers without a usable part after which the transfer uses none.
    package static let refusals = 2
    /// Maximum number of workers if no number was given.
    package static let chosen = 8

    /// Initial congestion window in bytes (RFC 6928).
    package static let firstWindow = 14_480.0
    /// Number of round trips of slow start.
    package static let growing = 8.0

    /// Whether slow start lasts so long that the current speed says little about the next moments.
    package static func isLong(_ setup: Double) -> Bool { growing * setup > 0.25 }

    /// Seconds for so many bytes over a connection in slow start.
    ///
    /// - Parameters:
    ///   - perTrip: Bytes of the previous round trip. Each next one brings twice as much.
    ///   - speed: Maximum bytes per second, or nil if unknown.
    package static func time(for bytes: Double, perTrip: Double, speed: Double?, setup: Double) -> Double {
        guard let speed, speed > 0 else { return setup * log2(1 + bytes / (2 * perTrip)) }
        let trips = max(0, log2(max(1, speed * setup / (2 * perTrip))))
        let early = 2 * perTrip * (exp2(trips) - 1)
        return bytes <= early
            ? setup * log2(1 + bytes / (2 * perTrip)) : setup * trips + (bytes - early) / speed
    }

    /// Minimum seconds that stealing work must save.
    ///
    /// - Parameter isWarm: Whether no new connection is needed.
    package static func gain(setup: Double, isWarm: Bool) -> Double {
        isWarm ? max(0.1, setup) : max(0.5, setup)
    }

    /// Seconds over which speeds are compared, by the seconds from a request to its first bytes.
    package static func span(setup: Double) -> Double { max(0.25, 3 * setup) }

    /// Minimum remaining seconds that justify another worker.
    package static func worthGrowing(setup: Double) -> Double { max(1, 8 * setup) }

    /// Seconds of observation after closing a connection.
    package static func weighing(setup: Double) -> Double { max(1, 20 * setup) }

    /// Minimum remaining seconds that justify such a trial.
    package static let worthWeighing = 20.0

    /// Number of workers to close. At least one stays.
    ///
    /// - Parameters:
    ///   - wanted: Desired number of workers.
    ///   - excess: Number of connections needed elsewhere.
    package static func tooMany(active: Int, wanted: Int, excess: Int) -> Int {
        max(0, min(max(active - wanted, excess), active - 1))
    }
}
