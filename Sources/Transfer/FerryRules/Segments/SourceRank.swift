/// The performance of one source of a file, for ranking (docs/behaviour/transfers.md#S12).
///
/// Times are seconds of a monotonic clock.
package struct SourceRank: Hashable, Sendable {
    private static let firstRest = 60.0

    /// Bytes per second of one connection, or nil if unknown.
    package private(set) var speed: Double?
    private var restUntil = -Double.infinity
    private var nextRest = firstRest

    package init() {}

    /// Records a connection's speed.
    package mutating func measured(_ speed: Double) { self.speed = speed }

    /// Records a failure: the source rests, longer each time.
    package mutating func failed(now: Double) {
        restUntil = now + nextRest
        nextRest *= 2
    }

    /// Rests the source for the time it asked for.
    package mutating func rest(for seconds: Double, now: Double) { restUntil = max(restUntil, now + seconds) }

    /// Whether the source is resting.
    package func rests(now: Double) -> Bool { now < restUntil }

    /// Ranks the sources for another connection.
    ///
    /// Unmeasured sources come first, so that connections are spread evenly, then the fastest. A server whose
    /// connections slow down as their number grows falls behind.
    ///
    /// - Returns: Indices, best first.
    package static func order(_ sources: [(rank: SourceRank, workers: Int)]) -> [Int] {
        let isMeasured = sources.allSatisfy { $0.rank.speed != nil }
        func key(_ index: Int) -> (Double, Int, Int) {
            (isMeasured ? -(sources[index].rank.speed ?? 0) : 0, sources[index].workers, index)
        }
        return sources.indices.sorted { key($0) < key($1) }
    }
}
