// Ferry: FerryCore
// What a session's client does to many of its transfers at once.

/// What a session's client does to its transfers; on many in one transaction.
package enum SessionAction: String, CaseIterable, Codable, Sendable {
    /// Stops what waits or runs and keeps its bytes.
    case pause
    /// Lets go on what is suspended, failed or canceled; one that waits for a retry tries at once. One that has succeeded
    /// starts again from 0 if its file is not the one that it fetched.
    case start
    /// Forgets what has not succeeded, and removes its partial files.
    case cancel
    /// Forgets all; finished files stay.
    case remove
    /// Forgets all and deletes the files that were fetched, where they are still the same files.
    case removeWithFile = "remove_with_file"

    /// Ids that the session does not have, as far as a report names them: a short text may name very many.
    package static let mostUnknown = 1000

    /// What an action came to.
    package struct Report: Hashable, Codable, Sendable {
        /// Number of the latest durable event when everything was done.
        package var lastEvent: Int64
        /// Those for which it failed.
        package var failures: [ActionResult]

        package init(lastEvent: Int64, failures: [ActionResult]) {
            self.lastEvent = lastEvent
            self.failures = failures
        }

        private enum CodingKeys: String, CodingKey {
            case failures
            case lastEvent = "last_event"
        }
    }
}
