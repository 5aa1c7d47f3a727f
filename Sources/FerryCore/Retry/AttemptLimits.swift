// Ferry: FerryCore
// How many requests one attempt makes.

/// What one attempt may do before it ends, so that whatever follows has a delay and counts as a failure.
///
/// Within an attempt requests follow each other at once. Without a limit, a server whose answers never lead to the whole
/// file would be asked without pause.
package struct AttemptLimits: Hashable, Sendable {
    /// Requests of any attempt; each ``FailureLedger/progress`` bytes that are gained allow one more.
    package static let requests = 16

    private var requests = 0
    private var hasStarted = false

    package init() {}

    /// Counts a request.
    ///
    /// - Parameter gained: bytes that the attempt has gained so far.
    /// - Returns: false if the attempt ends in its place.
    package mutating func takesRequest(gained: Int64) -> Bool {
        requests += 1
        return Int64(requests) <= Int64(Self.requests) + max(0, gained) / FailureLedger.progress
    }

    /// Counts a body that is stored from 0.
    ///
    /// - Returns: false if it is the second one: the attempt ends in its place.
    package mutating func takesStart() -> Bool {
        defer { hasStarted = true }
        return !hasStarted
    }
}
