/// How one of several sources of a file gets on, by which they are ranked (docs/behaviour/transfers.md#S12).
///
/// Times are seconds of a steady clock.
package struct SourceRank: Hashable, Sendable {
    private static let firstRest = 60.0

    /// Bytes per second of one connection; nil until it is known.
    package private(set) var speed: Double?
    private var restUntil = -Double.infinity
    private var nextRest = firstRest

    package init() {}

    /// Takes note of what one connection brings.
    package mutating func measured(_ speed: Double) { self.speed = speed }

    /// Takes note of a failure: a rest, and a longer one each time.
    package mutating func failed(now: Double) {
        restUntil = now + nextRest
        nextRest *= 2
    }

    /// Leaves it alone for a while, as it asked.
    package mutating func rest(for seconds: Double, now: Double) { restUntil = max(restUntil, now + seconds) }

    /// Whether it is not to be asked.
    package func rests(now: Double) -> Bool { now < restUntil }

    /// The order in which sources are asked for one more connection.
    ///
    /// Each is measured first, so that connections are spread evenly as long as the speed of one is unknown; then the
    /// fastest comes first. A server that gives less to each the more there are falls behind by that.
    ///
    /// - Returns: indices, the first choice first.
    package static func order(_ sources: [(rank: SourceRank, workers: Int)]) -> [Int] {
        let isMeasured = sources.allSatisfy { $0.rank.speed != nil }
        func key(_ index: Int) -> (Double, Int, Int) {
            (isMeasured ? -(sources[index].rank.speed ?? 0) : 0, sources[index].workers, index)
        }
        return sources.indices.sorted { key($0) < key($1) }
    }
}
