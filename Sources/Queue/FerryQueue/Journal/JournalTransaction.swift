package import FerryCore
package import FerryFoundation
package import FerryRules

/// The changes of one commit. Either all become durable, or none.
///
/// Changes to a missing transfer do nothing and return false: it may have been removed while its checkpoint was on the
/// way, which must not undo the checkpoints of others.
package protocol JournalTransaction: JournalReader {
    // MARK: Transfers

    /// Inserts a transfer, and reserves its destination if its facts have one.
    ///
    /// - Throws: `destination_exists` if another live transfer has reserved that path; `internal` if the id is taken.
    func insert(_ record: TransferRecord) throws(ServiceError)

    /// Inserts a transfer of a batch, and reserves its destination if it has one.
    ///
    /// - Returns: False, with nothing inserted, if another live transfer has reserved the path.
    func insert(_ row: BatchRow, like template: BatchTemplate, destination: String?) throws(ServiceError) -> Bool

    /// Inserts a transfer with its event for each URL. Their ids are consecutive, in the order of the URLs.
    ///
    /// - Parameters:
    ///   - first: The first id.
    ///   - keptEvents: Maximum number of events kept for the session. Older ones get numbers but are discarded at once.
    func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(ServiceError) -> EventRun

    /// Replaces the row of a record, except its id and creation date.
    ///
    /// A live transfer reserves the destination of its facts, or none.
    /// - Returns: False, with nothing changed, if the transfer does not exist or has changed since it was read.
    /// - Throws: `destination_exists` if another live transfer has reserved that path.
    @discardableResult
    func update(_ record: TransferRecord) throws(ServiceError) -> Bool

    /// Stores a record's facts only, without changing the reservation.
    ///
    /// - Returns: False, with nothing changed, if the transfer does not exist or has changed since it was read.
    @discardableResult
    func updateFacts(of record: TransferRecord) throws(ServiceError) -> Bool

    /// Stores the facts of a run. No effect on a finished transfer.
    @discardableResult
    func updateFacts(_ id: TransferID, _ facts: StoredFacts) throws(ServiceError) -> Bool

    /// Deletes a transfer. Its events stay.
    @discardableResult
    func delete(_ id: TransferID) throws(ServiceError) -> Bool

    /// Reserves a path for a live transfer, instead of its current one.
    ///
    /// - Returns: Whether it holds the path afterwards. False if another live transfer does, or if no live transfer has
    ///   this id.
    func claimDestination(_ path: String, for id: TransferID) throws(ServiceError) -> Bool

    /// Reserves a path as ``claimDestination(_:for:)`` does, and stores facts with it.
    ///
    /// - Returns: Whether both were done. Otherwise nothing has changed.
    func claimDestination(
        _ path: String, for id: TransferID, recording facts: StoredFacts
    ) throws(ServiceError) -> Bool

    // MARK: Completion

    /// Stores a transfer's completion with its event, and removes the secrets of its request.
    ///
    /// - Returns: The event's number, or nil, with nothing changed, if the transfer does not exist or has changed since
    ///   the decision.
    func finish(_ end: StoredEnd) throws(ServiceError) -> Int64?

    /// Removes the secrets of finished transfers, some at a time, so that other commits do not wait long.
    ///
    /// Most lose them at completion. The others failed long ago. Secrets given again after completion stay
    /// (``JournalSecrets``).
    /// - Parameters:
    ///   - phase: The phase of the finished transfers.
    ///   - moment: Only transfers finished before this date. Nil means all.
    ///   - id: Only transfers after this one.
    /// - Returns: The last transfer processed, or nil if there are no more.
    func forgetSecrets(
        in phase: JournalPhase, endedBefore moment: Date?, after id: TransferID
    ) throws(ServiceError) -> TransferID?

    // MARK: Commands

    /// Performs a command on a session's transfers and stores the results. The rules are the machine's. A journal may
    /// process the transfers in pages.
    func change(
        _ command: TransferCommand, _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation
    ) throws(ServiceError) -> BulkCommandChanges

    /// Deletes transfers, and appends their events.
    func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(ServiceError) -> EventRun

    // MARK: Events

    /// Appends an event and returns its number, which is larger than that of every earlier event, discarded ones
    /// included.
    ///
    /// - Parameter snapshot: The transfer as the event shows it permanently. Nil shows the transfer as it is when the
    ///   event is read.
    @discardableResult
    func appendEvent(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(ServiceError) -> Int64

    /// Appends an event of one kind for each of these transfers, in order.
    @discardableResult
    func appendEvents(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(ServiceError) -> EventRun

    /// Discards a session's events up to and including a number.
    func acknowledge(_ session: SessionID, through number: Int64) throws(ServiceError)

    /// Discards a session's events beyond its limits, some thousand at a time, so that other commits do not wait long.
    ///
    /// - Returns: Whether there may be more.
    func trimEvents(of session: SessionID, _ limits: EventRetention.Limits) throws(ServiceError) -> Bool

    // MARK: Sessions and settings

    func saveSettings(_ settings: ServiceSettings) throws(ServiceError)

    /// Stores a session's settings. Creates the session if necessary.
    func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(ServiceError)

    /// Records a task number, so that the session does not use it again.
    func noteTask(_ number: Int, of id: SessionID) throws(ServiceError)

    /// Stores the order of a session's transfers. Creates the session if necessary.
    ///
    /// Ids that the session does not have are ignored.
    /// - Returns: The stored ids.
    func saveOrder(_ ids: TransferIDRuns, of id: SessionID) throws(ServiceError) -> [TransferID]

    /// Stores the cookies of a session.
    func saveCookies(_ cookies: TransferCookies, of id: SessionID) throws(ServiceError)

    func saveApplication(_ name: String, _ record: ApplicationRecord) throws(ServiceError)

    /// Stores the registration of a background session. Creates the session if necessary.
    func saveRegistration(_ registration: SessionRegistration, of id: SessionID) throws(ServiceError)
}

extension JournalTransaction {
    package func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date
    ) throws(ServiceError) -> EventRun {
        try insert(urls, like: template, first: first, session: session, at: moment, keptEvents: .max)
    }
}

/// The outcome of starting many transfers.
package struct BegunTransfers: Sendable {
    package let events: EventRun
    /// Finished transfers that were not started because their secrets were forgotten.
    package let lacking: [TransferID]
    /// Transfers that can start once their runs have ended.
    package let postponed: [TransferID]

    package init(events: EventRun, lacking: [TransferID], postponed: [TransferID] = []) {
        self.events = events
        self.lacking = lacking
        self.postponed = postponed
    }
}
