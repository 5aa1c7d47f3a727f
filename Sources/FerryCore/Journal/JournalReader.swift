package import FerryFoundation

/// One consistent state of the journal; a transaction reads its own changes.
package protocol JournalReader {
    // MARK: Transfers

    /// One transfer; nil if there is none of this id.
    ///
    /// One that cannot be read comes back as failed with `journal_failed`.
    func record(_ id: TransferID) throws(ServiceError) -> TransferRecord?

    /// The records of these transfers in the given order, without the transfers that do not exist.
    func records(_ ids: [TransferID]) throws(ServiceError) -> [TransferRecord]

    /// The largest id that was ever stored, also if its transfer is gone.
    var lastTransferID: TransferID? { get throws(ServiceError) }

    /// The ids of one page of a list, in the order of submission or its reverse.
    ///
    /// Costs about as much as the page has transfers, however many there are; a tag or ``JournalFilter/only`` costs at most
    /// what carries the tag or is named.
    func ids(of filter: JournalFilter) throws(ServiceError) -> [TransferID]

    /// These transfers in the given order, as far as transfers are shown, without the transfers that do not exist.
    func listing(_ ids: [TransferID]) throws(ServiceError) -> [ListedTransfer]

    // MARK: The parts of the queue

    /// The transfers that may run or are suspended and have a priority, in the order of submission or its reverse.
    func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(ServiceError) -> [TransferID]

    /// The priorities of those of some transfers that a filter lets through, and that may run or are suspended.
    func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(ServiceError) -> [TransferID: Priority]

    /// The priorities besides the usual one that transfers have that may run or are suspended, in any order.
    func unusualPriorities(of session: SessionID?) throws(ServiceError) -> [Priority]

    /// The transfers that have ended, in the order of their ends or its reverse, without what comes before an offset.
    func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(ServiceError) -> [TransferID]

    /// The transfers of a session in the order of submission: all, or the named ones that are its own.
    ///
    /// - Parameter phase: only transfers in this one; nil is all.
    func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(ServiceError) -> [TransferID]

    /// The transfers of a session that some runs name, or all, in the order of submission.
    ///
    /// Costs what exists within the runs, however many ids they name.
    func transfers(of session: SessionID, within runs: TransferIDRuns?) throws(ServiceError) -> [TransferID]

    /// How many transfers are in each phase, of one session or of all; phases without any are left out.
    func counts(session: SessionID?) throws(ServiceError) -> [JournalPhase: Int]

    /// The live transfer that has reserved a path.
    func destinationHolder(_ path: String) throws(ServiceError) -> TransferID?

    /// The transfer that last put a file at a path.
    func lastPlaced(at path: String) throws(ServiceError) -> TransferRecord?

    // MARK: What waits

    /// Calls a closure with pending transfers, oldest first, holding one at a time.
    ///
    /// A value that cannot be read is reported and replaced by its default: reading the whole record, which comes before its
    /// start, says what is wrong with it.
    func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(ServiceError)

    /// The lines in which transfers wait, and the ids of the transfers whose line cannot be read.
    func lines() throws(ServiceError) -> (lines: [StoredQueueKey], unreadable: [TransferID])

    /// The oldest transfers that wait in a line.
    ///
    /// - Parameter after: only younger ones; nil is all.
    func ids(
        in line: StoredQueueKey, after: TransferID?, through last: TransferID, limit: Int
    ) throws(ServiceError) -> [TransferID]

    /// The pending transfers that are due by a moment, the earliest first.
    ///
    /// - Parameters:
    ///   - last: where the page before ended; nil begins with the first.
    ///   - start: only transfers that are not due before; nil is all.
    func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer]

    // MARK: What is left to do

    /// The transfers that may not be cleaned up yet, oldest first: transfers with a cancel that was asked for, and ended ones whose
    /// partial file is still recorded, also where it was kept on purpose.
    func unfinishedCleanups() throws(ServiceError) -> [TransferRecord]

    /// The transfers that have succeeded and whose files were being given other names, oldest first.
    func unfinishedNames() throws(ServiceError) -> [TransferRecord]

    /// The spooled transfers that ended before a moment, oldest first.
    func spooledTransfers(endedBefore moment: Date) throws(ServiceError) -> [TransferID]

    /// What these transfers have on disk, in the order of their ids.
    ///
    /// - Parameter ids: nil is all that are being forgotten.
    func remains(of ids: [TransferID]?) throws(ServiceError) -> [Remains]

    // MARK: Events

    /// The durable events after a number, oldest first, of one session or all, of some transfers and kinds or all.
    ///
    /// An event without a snapshot shows its transfer as it is at the time of reading, waiting if it is live, or none if it was
    /// removed.
    func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> [TransferEvent]

    /// The durable events of a session after a number, oldest first, in short.
    func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(ServiceError) -> [EventHead]

    /// The number of the latest durable event, also if it was let go; 0 before the first.
    var lastEventNumber: Int64 { get throws(ServiceError) }

    /// The number of the latest durable event of a session that it has not acknowledged; 0 if there is none.
    func lastEvent(of session: SessionID) throws(ServiceError) -> Int64

    /// The names of all sessions that have events, in order.
    func sessionsWithEvents() throws(ServiceError) -> [SessionID]

    // MARK: Sessions and settings

    /// The daemon's settings; nil before they were first changed, or if they cannot be read, which is logged.
    func settings() throws(ServiceError) -> ServiceSettings?

    /// The settings of a session; nil if it has none of its own.
    func sessionSettings(_ id: SessionID) throws(ServiceError) -> SessionSettings?

    /// The sessions that have settings, or anything else but transfers, by name.
    func storedSessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings)]

    /// All sessions that have a transfer or settings, by name, with their settings and counts.
    func sessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int])]

    /// The highest number of a task that the session ever had; 0 if it had none.
    func lastTask(of id: SessionID) throws(ServiceError) -> Int

    /// The stored order of a session's transfers; some may be gone.
    func order(of id: SessionID) throws(ServiceError) -> [TransferID]

    /// The cookies that servers have given to a session.
    func cookies(of id: SessionID) throws(ServiceError) -> TransferCookies

    /// Whether more transfers of a session than a number may run, or run.
    func hasPending(_ session: SessionID, besides count: Int) throws(ServiceError) -> Bool

    /// Whether a transfer of a session has ended, after a moment if one is given.
    func hasEnded(_ session: SessionID, after moment: Date?) throws(ServiceError) -> Bool

    /// All apps by name; one that cannot be read is reported and left out.
    func applications() throws(ServiceError) -> [String: ApplicationRecord]

    /// What is kept of the sessions whose apps may not be there; one that cannot be read is reported and left out.
    func registrations() throws(ServiceError) -> [SessionID: SessionRegistration]
}
