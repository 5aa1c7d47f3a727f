// Ferry: FerryEngine
// What one request of a try differs in from the plain case.

import FerryCore

/// What one request of a try differs in from the plain case, by the answer before it.
struct Turn: Sendable {
    /// The bytes on disk are not asked to be continued; they go when the next head is accepted.
    var restart: RestartReason?
    /// The range is asked without `If-Range`.
    var isUnconditional = false
    /// The same is asked once more on a connection of its own.
    var isFresh = false
}
