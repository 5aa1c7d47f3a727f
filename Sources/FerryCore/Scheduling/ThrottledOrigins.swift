/// Origins whose servers asked for no new request for a while, and the transfers that were told so.
///
/// What a server says to one transfer holds the others only as long as that transfer lives: once it has ended, no
/// request would find out whether the server still means it.
package struct ThrottledOrigins: Sendable {
    /// The longest time that the answer to one transfer holds the others, in seconds.
    package static let longest = 3600.0

    private var claims: [String: [TransferID: ContinuousClock.Instant]] = [:]

    package init() {}

    package var isEmpty: Bool { claims.isEmpty }
    package var origins: Set<String> { Set(claims.keys) }

    package func contains(_ origin: String) -> Bool { claims[origin] != nil }

    /// When requests to an origin may be made again; nil if they may now.
    package func end(of origin: String) -> ContinuousClock.Instant? { claims[origin]?.values.max() }

    /// Holds an origin at least until a moment, since its server said so to a transfer.
    package mutating func hold(_ origin: String, until: ContinuousClock.Instant, by id: TransferID) {
        let known = claims[origin]?[id]
        claims[origin, default: [:]][id] = known.map { max($0, until) } ?? until
    }

    /// Forgets what a transfer was told.
    ///
    /// - Returns: the origins that this releases.
    @discardableResult
    package mutating func release(by id: TransferID) -> [String] {
        let told = claims.filter { $0.value[id] != nil }.map(\.key)
        return told.filter { origin in
            claims[origin]?[id] = nil
            return drop(origin)
        }
    }

    /// Releases an origin.
    ///
    /// - Returns: whether it was held.
    @discardableResult
    package mutating func release(_ origin: String) -> Bool { claims.removeValue(forKey: origin) != nil }

    /// Drops an origin's holds that have expired.
    package mutating func expire(_ origin: String, at now: ContinuousClock.Instant) {
        claims[origin] = claims[origin]?.filter { $0.value > now }
        _ = drop(origin)
    }

    /// Drops an origin that has no holds; whether it did.
    private mutating func drop(_ origin: String) -> Bool {
        guard claims[origin]?.isEmpty == true else { return false }
        claims[origin] = nil
        return true
    }
}
