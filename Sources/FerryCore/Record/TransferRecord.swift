// Ferry: FerryCore
// Everything about one transfer that survives a crash.

package import Foundation

/// Everything about one transfer that survives a crash: intent and facts, never a transient state.
package struct TransferRecord: Hashable, Sendable {
    package let id: TransferID
    /// That of the row that it was read from.
    package var revision = Revision()
    package let createdAt: Date
    /// The validated request; its URL has no userinfo.
    @Boxed package var request: TransferRequest
    /// What the URL's userinfo said; belongs to the origin of the request's URL.
    package var credentials: Credentials?
    package var intent: TransferIntent
    @Boxed package var facts = TransferFacts()
    package var failures = FailureLedger()
    /// How long it has been under way, for `resourceTimeout`.
    package var active = ActiveTime()
    /// Tries that were started.
    package var attempts = 0
    package var retry: RetryPlan?
    package var outcome: Outcome?
    package var finishedAt: Date?

    package init(id: TransferID, createdAt: Date, request: TransferRequest, credentials: Credentials?) {
        self.id = id
        self.createdAt = createdAt
        self.request = request
        self.credentials = credentials
        self.intent = request.paused ? .suspend : .run
    }

    /// Whether the scheduler may pick it.
    package var isEligible: Bool { outcome == nil && intent == .run }
}
