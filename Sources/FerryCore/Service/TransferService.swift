/// Carries transfers: in this process (`FerryService`) or in the daemon (`FerryClient`), with the same behaviour.
///
/// Every call that changes something returns once the change is durable. All calls may be made from any task.
package protocol TransferService: Sendable {
    /// Stores all requests in one transaction and answers one by one, in order.
    ///
    /// A request that is refused does not hold back the others.
    /// - Throws: ``ServiceError`` only if the call as a whole failed: then none of them was stored.
    func submit(_ requests: [TransferRequest]) async throws(ServiceError) -> [SubmissionResult]

    /// ``submit(_:)`` for a caller that follows the transfers' events.
    func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults

    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer

    /// One page, newest last, in the order of submission.
    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage

    /// One page of a part of the queue, in the part's order.
    ///
    /// Costs about as much as the transfers before the page and on it, however long the queue is.
    /// - Throws: ``ServiceError`` with code `invalid_request` for an offset or a limit out of its range.
    func queue(_ query: QueueQuery) async throws(ServiceError) -> [Transfer]

    /// How many transfers each part of the queue has, of one session or of all.
    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts

    /// Moves a waiting or suspended transfer within its session's line, among the transfers of its priority.
    ///
    /// - Returns: its place in the line afterwards, counted from 0; nil if the transfer is not in line.
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int?

    /// Changes one transfer, whether it waits or runs; what runs goes on without reconnecting where that is possible.
    /// - Throws: ``ServiceError`` with code `unknown_transfer` or `invalid_request`.
    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer

    /// Acts on many. Doing twice what is done already changes nothing and is no error.
    func act(_ action: TransferAction, on selection: TransferSelection) async throws(ServiceError) -> [ActionResult]

    /// Ends a transfer, if it has not ended, and hands its partial file over to a later request that continues it.
    ///
    /// The transfer ends as canceled, or stays failed. The file is kept for seven days under a name of its own; a
    /// request's `continues` takes it. Doing it twice answers the same twice.
    /// - Returns: nil if the transfer cannot be continued; then its partial file is removed.
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func release(_ id: TransferID) async throws(ServiceError) -> PartialSource?

    /// The durable events after a number, then everything as it happens, until the caller stops listening.
    ///
    /// A listener that does not read never holds up a transfer: samples are dropped, durable events wait.
    func events(_ subscription: EventSubscription) async throws(ServiceError) -> AsyncThrowingStream<
        TransferEvent, any Error
    >

    /// ``events(_:)`` in groups: events that wait for the caller come together, which costs less where they are passed on.
    func eventGroups(
        _ subscription: EventSubscription
    ) async throws(ServiceError) -> any AsyncSequence<[TransferEvent], any Error> & Sendable

    /// Lets the durable events of a session up to and including this number go.
    func acknowledge(_ session: SessionID, through number: Int64) async throws(ServiceError)

    /// All sessions that have a transfer or settings of their own.
    func sessions() async throws(ServiceError) -> [SessionInfo]

    /// Changes limits of one session; makes the session if there is none.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for a value out of its range; then nothing has changed.
    func changeSession(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo

    func settings() async throws(ServiceError) -> ServiceSettings

    /// - Throws: ``ServiceError`` with code `invalid_request` for a value out of its range; then nothing has changed.
    func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings

    func status() async throws(ServiceError) -> ServiceStatus

    /// Number of a durable event before all that are still to come; costs less than ``status()``.
    func lastEvent() async throws(ServiceError) -> Int64
}

extension TransferService {
    /// Changes all limits of one session; makes the session if there is none.
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

    package func submitNumbered(_ requests: [TransferRequest]) async throws(ServiceError) -> NumberedResults {
        let last = try await lastEvent()
        return NumberedResults(results: try await submit(requests), after: last)
    }

    package func lastEvent() async throws(ServiceError) -> Int64 { try await status().lastEvent }
}

/// Which transfers a list shows, and which page of it.
package struct TransferQuery: Hashable, Codable, Sendable {
    package var session: SessionID?
    package var states: [TransferState] = []
    package var tag: String?
    /// Shows only transfers with a tag that begins so.
    package var tagPrefix: String?
    /// Shows only transfers after this one, in the order of submission.
    package var after: TransferID?
    /// 1 to 1000.
    package var limit = 100
    /// Whether the newest come first; `after` then means before.
    package var newestFirst = false

    package init() {}
}

/// One page of a list of transfers.
package struct TransferPage: Hashable, Codable, Sendable {
    package var transfers: [Transfer]
    /// The cursor of the next page; nil on the last.
    package var next: TransferID?

    package init(transfers: [Transfer], next: TransferID?) {
        self.transfers = transfers
        self.next = next
    }
}

/// What became of requests, and after which durable event the events of their transfers come.
package struct NumberedResults: Sendable {
    /// One for each request, in order.
    package var results: [SubmissionResult]
    /// Number of a durable event before all of these transfers; nil if it is not known.
    package var after: Int64?

    package init(results: [SubmissionResult], after: Int64?) {
        self.results = results
        self.after = after
    }
}
