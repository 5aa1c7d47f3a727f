package import FerryCore

extension TransferID {
    /// No transfer: the client that holds an origin.
    package static let outside = TransferID(rawValue: 0)
}

/// Origins whose servers asked for a pause, and the transfers whose responses said so.
///
/// A response to one transfer throttles the others only as long as that transfer exists: afterwards no request would
/// find out whether the pause still applies.
package struct ThrottledOrigins: Sendable {
    private var claims: [String: [TransferID: ContinuousClock.Instant]] = [:]

    package init() {}

    package var isEmpty: Bool { claims.isEmpty }
    package var origins: Set<String> { Set(claims.keys) }

    package func contains(_ origin: String) -> Bool { claims[origin] != nil }

    /// The end of an origin's pause, or nil if requests are allowed.
    package func end(of origin: String) -> ContinuousClock.Instant? { claims[origin]?.values.max() }

    /// Throttles an origin at least until an instant, because of a response to a transfer.
    package mutating func hold(_ origin: String, until: ContinuousClock.Instant, by id: TransferID) {
        let known = claims[origin]?[id]
        claims[origin, default: [:]][id] = known.map { max($0, until) } ?? until
    }

    /// Removes a transfer's claims.
    ///
    /// - Returns: The origins that are no longer throttled.
    @discardableResult
    package mutating func release(by id: TransferID) -> [String] {
        let affected = claims.filter { $0.value[id] != nil }.map(\.key)
        return affected.filter { origin in
            claims[origin]?[id] = nil
            return drop(origin)
        }
    }

    /// Ends an origin's pause.
    ///
    /// - Returns: Whether it was throttled.
    @discardableResult
    package mutating func release(_ origin: String) -> Bool { claims.removeValue(forKey: origin) != nil }

    /// Removes an origin's expired claims.
    package mutating func expire(_ origin: String, at now: ContinuousClock.Instant) {
        claims[origin] = claims[origin]?.filter { $0.value > now }
        _ = drop(origin)
    }

    /// Removes an origin without claims. Returns whether it did.
    private mutating func drop(_ origin: String) -> Bool {
        guard claims[origin]?.isEmpty == true else { return false }
        claims[origin] = nil
        return true
    }
}
