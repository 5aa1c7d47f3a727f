// Ferry: FerryCore
// The numbers by which work is shared among connections.

/// The numbers by which work is shared among connections (spec S2 to S8).
package enum SegmentRule {
    /// More than one worker pays from so many missing bytes on.
    package static let worthSharing: Int64 = 2 << 20
    /// Work is taken from segments of unknown speed with at least so many missing bytes,
    package static let stolenFrom: Int64 = 1 << 20
    /// and from those that are known to be slow with at least so many,
    package static let stolenFromSlow: Int64 = 128 << 10
    /// that would need longer than this, in seconds,
    package static let worthwhile = 1.0
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
    /// Workers that a transfer gets at most where nobody gave a number.
    package static let chosen = 8

    /// Seconds over which a speed is compared, by the seconds that a request needs to its first bytes.
    package static func span(setup: Double) -> Double { max(0.25, 3 * setup) }

    /// Seconds that a transfer must still need for another worker to pay.
    package static func worthGrowing(setup: Double) -> Double { max(1, 8 * setup) }

    /// How many workers are to go; one stays, if there is one.
    ///
    /// - Parameters:
    ///   - wanted: how many there should be.
    ///   - excess: how many connections are needed for something else.
    package static func tooMany(active: Int, wanted: Int, excess: Int) -> Int {
        max(0, min(max(active - wanted, excess), active - 1))
    }
}
