package import FerryCore
package import FerryQueue
package import FerryRules
package import Foundation

/// The read groups shared by a reader's snapshot and a transaction.
package protocol SQLiteReads: JournalReader {
    var connection: JournalConnection { get }
}

/// One consistent snapshot of the journal.
package struct SQLiteReader: SQLiteReads {
    package let connection: JournalConnection
}

// MARK: Groups of queries

extension SQLiteReads {
    var rows: TransferRows { TransferRows(connection: connection) }
    var lists: TransferLists { TransferLists(connection: connection) }
    var parts: QueueParts { QueueParts(connection: connection) }
    var waiting: WaitingRows { WaitingRows(connection: connection) }
    var waitingLines: WaitingKeys { WaitingKeys(connection: connection) }
    var left: LeftWork { LeftWork(connection: connection) }
    var log: EventRows { EventRows(connection: connection) }
    var registry: SessionRows { SessionRows(connection: connection) }
}

// MARK: Forwarded calls

extension SQLiteReads {
    package func record(_ id: TransferID) throws(ServiceError) -> TransferRecord? { try rows.record(id) }

    package func records(_ ids: [TransferID]) throws(ServiceError) -> [TransferRecord] { try rows.records(ids) }

    package var lastTransferID: TransferID? {
        get throws(ServiceError) { try rows.lastID }
    }

    package func destinationHolder(_ path: String) throws(ServiceError) -> TransferID? {
        try rows.holder(of: path)
    }

    package func lastPlaced(at path: String) throws(ServiceError) -> TransferRecord? {
        try rows.lastPlaced(at: path)
    }

    package func ids(of filter: JournalFilter) throws(ServiceError) -> [TransferID] { try lists.ids(of: filter) }

    package func listing(_ ids: [TransferID]) throws(ServiceError) -> [ListedTransfer] { try lists.listing(ids) }

    package func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        try parts.waiting(filter, with: priority, limit: limit)
    }

    package func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(ServiceError) -> [TransferID: Priority] {
        try parts.waitingPriorities(of: ids, filter)
    }

    package func unusualPriorities(of session: SessionID?) throws(ServiceError) -> [Priority] {
        try parts.unusualPriorities(of: session)
    }

    package func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(ServiceError) -> [TransferID] {
        try parts.ended(of: session, offset: offset, limit: limit, reversed: reversed)
    }

    package func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(ServiceError) -> [TransferID] {
        try lists.transfers(of: session, among: ids, in: phase)
    }

    package func transfers(
        of session: SessionID, within runs: TransferIDRuns?
    ) throws(ServiceError) -> [TransferID] {
        try lists.transfers(of: session, within: runs)
    }

    package func counts(session: SessionID?) throws(ServiceError) -> [JournalPhase: Int] {
        try lists.counts(session: session)
    }

    package func hasPending(_ session: SessionID, besides count: Int) throws(ServiceError) -> Bool {
        try lists.hasPending(session, besides: count)
    }

    package func hasEnded(_ session: SessionID, after moment: Date?) throws(ServiceError) -> Bool {
        try lists.hasEnded(session, after: moment)
    }

    package func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(ServiceError) {
        try waiting.forEachPending(selection, body)
    }

    package func lines() throws(ServiceError) -> (lines: [StoredQueueKey], unreadable: [TransferID]) {
        try waitingLines.lines()
    }

    package func ids(
        in line: StoredQueueKey, after: TransferID?, through last: TransferID, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        try waitingLines.ids(in: line, after: after, through: last, limit: limit)
    }

    package func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer] {
        try waiting.due(after: last, from: start, through: end, limit: limit)
    }

    package func unfinishedCleanups() throws(ServiceError) -> [TransferRecord] { try left.unfinishedCleanups() }

    package func unfinishedNames() throws(ServiceError) -> [TransferRecord] { try left.unfinishedNames() }

    package func spooledTransfers(endedBefore moment: Date) throws(ServiceError) -> [TransferID] {
        try left.spooledTransfers(endedBefore: moment)
    }

    package func remains(of ids: [TransferID]?) throws(ServiceError) -> [Remains] { try left.remains(of: ids) }

    package func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> [TransferEvent] {
        try log.events(after: number, session: session, ids: ids, kinds: kinds, limit: limit)
    }

    package func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(ServiceError) -> [EventHead] {
        try log.eventHeads(after: number, session: session, limit: limit)
    }

    package var lastEventNumber: Int64 {
        get throws(ServiceError) { try log.lastNumber }
    }

    package func lastEvent(of session: SessionID) throws(ServiceError) -> Int64 { try log.last(of: session) }

    package func sessionsWithEvents() throws(ServiceError) -> [SessionID] { try log.sessions() }

    package func settings() throws(ServiceError) -> ServiceSettings? { try registry.service() }

    package func sessionSettings(_ id: SessionID) throws(ServiceError) -> SessionSettings? {
        try registry.settings(of: id)
    }

    package func storedSessions() throws(ServiceError) -> [(id: SessionID, settings: SessionSettings)] {
        try registry.stored()
    }

    package func sessions() throws(ServiceError) -> [(
        id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int]
    )] {
        try registry.counted()
    }

    package func lastTask(of id: SessionID) throws(ServiceError) -> Int { try registry.lastTask(of: id) }

    package func order(of id: SessionID) throws(ServiceError) -> [TransferID] { try registry.order(of: id) }

    package func cookies(of id: SessionID) throws(ServiceError) -> TransferCookies { try registry.cookies(of: id) }

    package func applications() throws(ServiceError) -> [String: ApplicationRecord] { try registry.applications() }

    package func registrations() throws(ServiceError) -> [SessionID: SessionRegistration] {
        try registry.registrations()
    }
}
