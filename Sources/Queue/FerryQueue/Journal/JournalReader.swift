package import FerryCore
package import FerryFoundation
package import FerryRules

/// A consistent state of the journal. A transaction also sees its own changes.
package protocol JournalReader {
    // MARK: Transfers

    /// Returns a transfer, or nil if it does not exist.
    ///
    /// An unreadable one is returned as failed with `journal_failed`.
    func record(_ id: TransferID) throws(ServiceError) -> TransferRecord?

    /// Returns the records of these transfers in the given order. Omits transfers that do not exist.
    func records(_ ids: [TransferID]) throws(ServiceError) -> [TransferRecord]

    /// The largest id ever stored, including deleted transfers.
    var lastTransferID: TransferID? { get throws(ServiceError) }

    /// Returns the ids of one page of a list, in order of submission or its reverse.
    ///
    /// The cost depends on the size of the page, not of the journal. A tag or ``JournalFilter/only`` costs at most the
    /// number of transfers with the tag, or of ids.
    func ids(of filter: JournalFilter) throws(ServiceError) -> [TransferID]

    /// Returns the displayed properties of these transfers in the given order. Omits transfers that do not exist.
    func listing(_ ids: [TransferID]) throws(ServiceError) -> [ListedTransfer]

    // MARK: The parts of the queue

    /// Returns the waiting or suspended transfers with a priority, in order of submission or its reverse.
    func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(ServiceError) -> [TransferID]

    /// Returns the priorities of the waiting or suspended transfers among `ids` that match a filter.
    func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(ServiceError) -> [TransferID: Priority]

    /// Returns the priorities other than the default of waiting or suspended transfers, in any order.
    func unusualPriorities(of session: SessionID?) throws(ServiceError) -> [Priority]

    /// Returns the finished transfers in order of completion or its reverse, starting at an offset.
    func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(ServiceError) -> [TransferID]

    /// Returns a session's transfers in order of submission: all, or those among `ids`.
    ///
    /// - Parameter phase: Only transfers in this phase. Nil means all.
    func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(ServiceError) -> [TransferID]

    /// Returns the transfers of a session within some runs of ids, or all, in order of submission.
    ///
    /// The cost depends on the existing transfers within the runs, not on the length of the runs.
    func transfers(of session: SessionID, within runs: TransferIDRuns?) throws(ServiceError) -> [TransferID]

    /// Returns the number of transfers per phase, of one session or of all. Empty phases are omitted.
    func counts(session: SessionID?) throws(ServiceError) -> [JournalPhase: Int]

    /// Returns the live transfer that has reserved a path.
    func destinationHolder(_ path: String) throws(ServiceError) -> TransferID?

    /// Returns the last transfer that placed a file at a path.
    func lastPlaced(at path: String) throws(ServiceError) -> TransferRecord?

    // MARK: Waiting transfers

    /// Calls a closure with each pending transfer, oldest first. Holds one in memory at a time.
    ///
    /// An unreadable value is logged and replaced by its default. The full record is read before the transfer starts,
    /// and then says what is wrong.
    func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(ServiceError)

    /// Returns the queue keys of waiting transfers, and the ids of those whose key is unreadable.
    func lines() throws(ServiceError) -> (lines: [StoredQueueKey], unreadable: [TransferID])

    /// Returns the oldest transfers waiting under a key.
    ///
    /// - Parameter after: Only transfers submitted after this one. Nil means all.
    func ids(
        in line: StoredQueueKey, after: TransferID?, through last: TransferID, limit: Int
    ) throws(ServiceError) -> [TransferID]

    /// Returns the pending transfers due by a date, earliest first.
    ///
    /// - Parameters:
    ///   - last: The end of the previous page. Nil starts with the first.
    ///   - start: Only transfers due at or after this date. Nil means all.
    func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer]

    // MARK: Unfinished work

    /// Returns the transfers that may need to be cleaned up, oldest first: those with a requested cancellation, and
    /// finished ones whose partial file is still recorded, including files kept on purpose.
    func unfinishedCleanups() throws(ServiceError) -> [TransferRecord]

    /// Returns the succeeded transfers whose files were being renamed, oldest first.
    func unfinishedNames() throws(ServiceError) -> [TransferRecord]

    /// Returns the spooled transfers that finished before a date, oldest first.
    func spooledTransfers(endedBefore moment: Date) throws(ServiceError) -> [TransferID]

    /// Returns the files that these transfers have on disk, in order of their ids.
    ///
    /// - Parameter ids: Nil means all transfers being removed.
    func remains(of ids: [TransferID]?) throws(ServiceError) -> [Remains]

    // MARK: Events

    /// Returns the durable events after a number, oldest first, filtered by session, transfers and kinds.
    ///
    /// An event without a snapshot has the transfer as it is at the time of reading, waiting if it is live, or none if
    /// it was removed.
    func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> [TransferEvent]

    /// Returns the heads of a session's durable events after a number, oldest first.
    func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(ServiceError) -> [EventHead]

    /// Number of the latest durable event, including discarded ones. 0 before the first.
    var lastEventNumber: Int64 { get throws(ServiceError) }

    /// Returns the number of a session's latest unacknowledged event, or 0.
    func lastEvent(of session: SessionID) throws(ServiceError) -> Int64

    /// Returns the sessions with events, sorted.
    func sessionsWithEvents() throws(ServiceError) -> [SessionID]

    // MARK: Sessions and settings

    /// Returns the daemon's settings, or nil before the first change or if they are unreadable, which is logged.
    func settings() throws(ServiceError) -> ServiceSettings?

    /// Returns a session's own settings, or nil if it has none.
    func sessionSettings(_ id: SessionID) throws(ServiceError) -> SessionSettings?

    /// Returns the sessions with settings or any other stored data besides transfers, by name.
    func storedSessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings)]

    /// Returns all sessions with transfers or settings, by name, with settings and counts.
    func sessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int])]

    /// Returns the highest task number ever used in a session, or 0.
    func lastTask(of id: SessionID) throws(ServiceError) -> Int

    /// Returns the stored order of a session's transfers, which may include deleted ones.
    func order(of id: SessionID) throws(ServiceError) -> [TransferID]

    /// Returns the cookies of a session.
    func cookies(of id: SessionID) throws(ServiceError) -> TransferCookies

    /// Returns whether a session has more than `count` waiting or running transfers.
    func hasPending(_ session: SessionID, besides count: Int) throws(ServiceError) -> Bool

    /// Returns whether a transfer of a session has finished, optionally after a date.
    func hasEnded(_ session: SessionID, after moment: Date?) throws(ServiceError) -> Bool

    /// Returns all apps by name. An unreadable one is logged and omitted.
    func applications() throws(ServiceError) -> [String: ApplicationRecord]

    /// Returns the registrations of background sessions. An unreadable one is logged and omitted.
    func registrations() throws(ServiceError) -> [SessionID: SessionRegistration]
}
