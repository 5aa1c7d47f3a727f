/// Manages transfers, in this process (`FerryService`) or in the daemon (`FerryClient`), with the same behavior.
///
/// Every change is durable when the call returns. All calls may be made from any task.
package protocol TransferService: Sendable {
    /// Submits all requests in one transaction and returns one result each, in order.
    ///
    /// A refused request does not affect the others.
    /// - Throws: ``ServiceError`` only if the call as a whole failed. Then nothing was stored.
    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults

    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer

    /// Returns the request of one transfer, without its secrets.
    ///
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func request(of id: TransferID) async throws(ServiceError) -> ShownRequest

    /// Returns one page in order of submission, oldest first.
    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage

    /// Returns one page of a part of the queue, in the part's order.
    ///
    /// The cost depends on the transfers before the page and on it, not on the length of the queue.
    /// - Throws: ``ServiceError`` with code `invalid_request` for an offset or a limit out of range.
    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer]

    /// Returns the number of transfers in each part of the queue, of one session or of all.
    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts

    /// Moves a waiting or suspended transfer within its session's queue, among the transfers of its priority.
    ///
    /// - Returns: The new position, counted from 0, or nil if the transfer is not in the queue.
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int?

    /// Changes a waiting or running transfer. A running one continues without reconnecting where possible.
    ///
    /// - Returns: The transfer afterwards, or as it was last if the action has removed it.
    /// - Throws: ``ServiceError`` with code `unknown_transfer` or `invalid_request`.
    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer

    /// Performs an action on many transfers. Idempotent.
    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult]

    /// Ends an unfinished transfer and hands its partial file over to a later request.
    ///
    /// The transfer ends as canceled, or stays failed. The file is kept for seven days under a separate name. A
    /// request's `continues` uses it. Calling twice returns the same result.
    /// - Returns: Nil if the transfer cannot be resumed. Its partial file is then removed.
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource?

    /// Delivers the durable events after a number, then all events as they happen, until the caller stops listening.
    ///
    /// A slow listener never blocks a transfer: progress events are dropped, durable events wait.
    func events(_ subscription: EventSubscription) async throws(ServiceError) -> AsyncThrowingStream<
        TransferEvent, any Error
    >

    /// Like ``events(_:)``, in groups: events that wait for the caller are delivered together, which makes passing them
    /// on cheaper.
    func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable

    /// Discards a session's durable events up to and including this number.
    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError)

    /// Returns all sessions with transfers or settings.
    func sessions() async throws(ServiceError) -> [SessionInfo]

    /// Changes the limits of one session. Creates the session if necessary.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for a value out of range. Then nothing has changed.
    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo

    func settings() async throws(ServiceError) -> ServiceSettings

    /// - Throws: ``ServiceError`` with code `invalid_request` for a value out of range. Then nothing has changed.
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings

    /// Starts no transfer from an origin for some seconds, as if its server had asked for a pause. Running ones go on.
    ///
    /// Forgotten when the service ends.
    /// - Throws: ``ServiceError`` with code `invalid_request` unless the seconds are 0 to 3600.
    func hold(_ origin: Origin, seconds: Double) async throws(ServiceError)

    func status() async throws(ServiceError) -> ServiceStatus

    /// Returns the number of a durable event before all future ones. Cheaper than ``status()``.
    func lastEvent() async throws(ServiceError) -> Int64
}

extension TransferService {
    /// Changes all limits of one session. Creates the session if necessary.
    @discardableResult
    package func changeSession(
        _ id: SessionID, to settings: SessionSettings
    ) async throws(ServiceError) -> SessionInfo {
        try await changeSession(id, SessionSettingsChange(all: settings))
    }

    package func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable {
        try await events(subscription).map { [$0] }
    }

    /// Like ``submitNumbered(_:)``, for a caller that does not follow the transfers' events.
    package func submit(_ requests: [TransferRequest]) async throws(ServiceError) -> [SubmissionResult] {
        try await submitNumbered(requests).results
    }

    package func lastEvent() async throws(ServiceError) -> Int64 { try await status().lastEvent }
}

/// Selects the transfers of a list, and the page.
package struct TransferQuery: Hashable, Codable, Sendable {
    package var session: SessionID?
    package var states: [TransferState] = []
    package var tag: String?
    /// Only transfers with a tag that has this prefix.
    package var tagPrefix: String?
    /// Only transfers after this one in order of submission.
    package var after: TransferID?
    /// 1 to 1000.
    package var limit = 100
    /// Whether the newest come first. `after` then means before.
    package var newestFirst = false

    package init() {}
}

/// One page of a list of transfers.
package struct TransferPage: Hashable, Codable, Sendable {
    package var transfers: [Transfer]
    /// The cursor of the next page, or nil on the last.
    package var next: TransferID?

    package init(transfers: [Transfer], next: TransferID?) {
        self.transfers = transfers
        self.next = next
    }
}

/// Submission results, and the durable event after which the transfers' events follow.
package struct NumberedResults: Sendable {
    /// One result per request, in order.
    package var results: [SubmissionResult]
    /// Number of a durable event before all of these transfers, or nil if unknown.
    package var after: Int64?

    package init(results: [SubmissionResult], after: Int64?) {
        self.results = results
        self.after = after
    }
}
