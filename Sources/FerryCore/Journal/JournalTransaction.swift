package import FerryFoundation

/// The changes that one body of a commit makes; all of them become durable, or none.
///
/// Changes of a transfer that is not there do nothing and return false: it may have been removed while its checkpoint was on
/// the way, which must not undo the checkpoints of others.
package protocol JournalTransaction: JournalReader {
    // MARK: Transfers

    /// Stores a new transfer, and reserves its destination if the facts name one.
    ///
    /// - Throws: `destination_exists` if another live transfer has reserved that path; `internal` if the id is taken.
    func insert(_ record: TransferRecord) throws(ServiceError)

    /// Stores a new transfer like its template, and reserves its destination if it has one.
    ///
    /// - Returns: false if another live transfer has reserved that path; then nothing is stored.
    func insert(_ row: BatchRow, like template: BatchTemplate, destination: String?) throws(ServiceError) -> Bool

    /// Stores a transfer for each URL, with its event; their ids follow each other in the order of the URLs.
    ///
    /// - Parameters:
    ///   - first: the id of the first.
    ///   - keptEvents: how many events of the session are kept; older ones are numbered, and let go at once.
    func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(ServiceError) -> EventRun

    /// Stores everything about a transfer but its id and the time of its creation, in place of the row that the record was read
    /// from.
    ///
    /// A live transfer holds the destination that its facts name, or none.
    /// - Returns: false, with nothing changed, if there is no such transfer, or if it has changed since it was read.
    /// - Throws: `destination_exists` if another live transfer has reserved that path.
    @discardableResult
    func update(_ record: TransferRecord) throws(ServiceError) -> Bool

    /// Stores a record's facts and leaves all else as it is, the reservation too.
    ///
    /// - Returns: false, with nothing changed, if there is no such transfer, or if it has changed since it was read.
    @discardableResult
    func updateFacts(of record: TransferRecord) throws(ServiceError) -> Bool

    /// Records what a run has found out; without effect on a transfer that has ended.
    @discardableResult
    func updateFacts(_ id: TransferID, _ facts: StoredFacts) throws(ServiceError) -> Bool

    /// Forgets a transfer; its events stay.
    @discardableResult
    func delete(_ id: TransferID) throws(ServiceError) -> Bool

    /// Reserves a path for a live transfer, in place of the one that it holds.
    ///
    /// - Returns: Whether it holds the path afterwards; false if another live transfer does, or if there is no live transfer of
    ///   this id.
    func claimDestination(_ path: String, for id: TransferID) throws(ServiceError) -> Bool

    /// Reserves a path for a live transfer, as ``claimDestination(_:for:)`` does, and records its facts with that.
    ///
    /// - Returns: Whether both was done; nothing has changed if not.
    func claimDestination(
        _ path: String, for id: TransferID, recording facts: StoredFacts
    ) throws(ServiceError) -> Bool

    // MARK: Ends

    /// Records that a transfer has ended, and the event that says so; its request loses its secrets and else stays as it is.
    ///
    /// - Returns: the event's number; nil, with nothing changed, if there is no such transfer, or if it is not what the end was
    ///   decided from.
    func finish(_ end: StoredEnd, kind: TransferEvent.Kind, at: Date) throws(ServiceError) -> Int64?

    /// Forgets the secrets of transfers that have ended, some at a time, so that no other commit waits long.
    ///
    /// Most have lost them at their end; these failed long ago, or an earlier version has stored them. Secrets that were given
    /// anew after an end that forgets them stay (``JournalSecrets``).
    /// - Parameters:
    ///   - phase: how they have ended.
    ///   - moment: only transfers that ended before; nil is all.
    ///   - id: only transfers after this one.
    /// - Returns: the last one that was looked at; nil if there are no more.
    func forgetSecrets(
        in phase: JournalPhase, endedBefore moment: Date?, after id: TransferID
    ) throws(ServiceError) -> TransferID?

    /// Gives rows that an earlier version has stored what decisions depend on, some at a time, so that no other commit waits
    /// long.
    ///
    /// - Parameter id: only transfers after this one.
    /// - Returns: the last one that was looked at; nil if there are no more.
    func completeRows(after id: TransferID) throws(ServiceError) -> TransferID?

    // MARK: What users do

    /// Asks the machine what a wish makes of a session's transfers, and stores what it answers: no journal has a rule of its
    /// own. One that keeps many need not hold them all at once.
    func change(
        _ command: TransferCommand, _ ids: [TransferID], of session: SessionID, _ circumstances: BulkCommandSituation
    ) throws(ServiceError) -> BulkCommandChanges

    /// Forgets transfers, with their events.
    func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(ServiceError) -> EventRun

    // MARK: Events

    /// Records an event and returns its number, which is larger than that of every event before, kept or not.
    ///
    /// - Parameter snapshot: The transfer as the event shows it for ever; nil shows it as it is when the event is read.
    @discardableResult
    func appendEvent(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(ServiceError) -> Int64

    /// Records an event of one kind for each of these transfers, in their order.
    @discardableResult
    func appendEvents(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(ServiceError) -> EventRun

    /// Lets the events of a session up to and including a number go.
    func acknowledge(_ session: SessionID, through number: Int64) throws(ServiceError)

    /// Lets events of a session go that its limits do not keep, some thousand at a time, so that no other commit waits long.
    ///
    /// - Returns: whether there may be more of them.
    func trimEvents(of session: SessionID, _ limits: EventRetention.Limits) throws(ServiceError) -> Bool

    // MARK: Sessions and settings

    func saveSettings(_ settings: ServiceSettings) throws(ServiceError)

    /// Stores a session's settings; makes the session if there is none.
    func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(ServiceError)

    /// Notes a task's number, so that no later one of its session gets it again.
    func noteTask(_ number: Int, of id: SessionID) throws(ServiceError)

    /// Stores the order of a session's transfers; makes the session if there is none.
    ///
    /// Ids that the session does not have are left out.
    /// - Returns: the ids that were stored.
    func saveOrder(_ ids: TransferIDRuns, of id: SessionID) throws(ServiceError) -> [TransferID]

    /// Stores the cookies that servers have given to a session.
    func saveCookies(_ cookies: TransferCookies, of id: SessionID) throws(ServiceError)

    func saveApplication(_ name: String, _ record: ApplicationRecord) throws(ServiceError)

    /// Stores what is kept of a session whose app may not be there; makes the session if there is none.
    func saveRegistration(_ registration: SessionRegistration, of id: SessionID) throws(ServiceError)
}

extension JournalTransaction {
    package func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date
    ) throws(ServiceError) -> EventRun {
        try insert(urls, like: template, first: first, session: session, at: moment, keptEvents: .max)
    }
}

extension JournalTransaction {
    /// A journal without earlier versions has no such rows.
    package func completeRows(after id: TransferID) throws(ServiceError) -> TransferID? { nil }
}

/// What a start of many transfers has done.
package struct BegunTransfers: Sendable {
    package let events: EventRun
    /// Transfers that have ended and stay as they are: their secrets were forgotten.
    package let lacking: [TransferID]

    package init(events: EventRun, lacking: [TransferID]) {
        self.events = events
        self.lacking = lacking
    }
}
