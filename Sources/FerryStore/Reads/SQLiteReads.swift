package import FerryCore
package import Foundation

/// What a reader's snapshot and a transaction have in common: the rooms whose statements read.
package protocol SQLiteReads: JournalReader {
    var connection: JournalConnection { get }
}

/// One consistent state of the journal.
package struct SQLiteReader: SQLiteReads {
    package let connection: JournalConnection
}

// MARK: Rooms

extension SQLiteReads {
    var rows: TransferRows { TransferRows(connection: connection) }
    var lists: TransferLists { TransferLists(connection: connection) }
    var parts: QueueParts { QueueParts(connection: connection) }
    var waiting: WaitingRows { WaitingRows(connection: connection) }
    var waitingLines: WaitingLines { WaitingLines(connection: connection) }
    var left: LeftWork { LeftWork(connection: connection) }
    var log: EventRows { EventRows(connection: connection) }
    var registry: SessionRows { SessionRows(connection: connection) }
}

// MARK: What each room is asked for

extension SQLiteReads {
    package func record(_ id: TransferID) throws(TransferError) -> TransferRecord? { try rows.record(id) }

    package func records(_ ids: [TransferID]) throws(TransferError) -> [TransferRecord] { try rows.records(ids) }

    package var lastTransferID: TransferID? {
        get throws(TransferError) { try rows.lastID }
    }

    package func destinationHolder(_ path: String) throws(TransferError) -> TransferID? {
        try rows.holder(of: path)
    }

    package func lastPlaced(at path: String) throws(TransferError) -> TransferRecord? {
        try rows.lastPlaced(at: path)
    }

    package func ids(of filter: JournalFilter) throws(TransferError) -> [TransferID] { try lists.ids(of: filter) }

    package func listing(_ ids: [TransferID]) throws(TransferError) -> [ListedTransfer] { try lists.listing(ids) }

    package func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(TransferError) -> [TransferID] {
        try parts.waiting(filter, with: priority, limit: limit)
    }

    package func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(TransferError) -> [TransferID: Priority] {
        try parts.waitingPriorities(of: ids, filter)
    }

    package func unusualPriorities(of session: SessionID?) throws(TransferError) -> [Priority] {
        try parts.unusualPriorities(of: session)
    }

    package func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(TransferError) -> [TransferID] {
        try parts.ended(of: session, offset: offset, limit: limit, reversed: reversed)
    }

    package func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(TransferError) -> [TransferID] {
        try lists.transfers(of: session, among: ids, in: phase)
    }

    package func transfers(
        of session: SessionID, within runs: TransferIDRuns?
    ) throws(TransferError) -> [TransferID] {
        try lists.transfers(of: session, within: runs)
    }

    package func counts(session: SessionID?) throws(TransferError) -> [JournalPhase: Int] {
        try lists.counts(session: session)
    }

    package func hasPending(_ session: SessionID, besides count: Int) throws(TransferError) -> Bool {
        try lists.hasPending(session, besides: count)
    }

    package func hasEnded(_ session: SessionID, after moment: Date?) throws(TransferError) -> Bool {
        try lists.hasEnded(session, after: moment)
    }

    package func forEachPending(
        _ selection: PendingSelection, _ body: (PendingTransfer) -> Void
    ) throws(TransferError) {
        try waiting.forEachPending(selection, body)
    }

    package func lines() throws(TransferError) -> (lines: [StoredLine], unreadable: [TransferID]) {
        try waitingLines.lines()
    }

    package func ids(
        in line: StoredLine, after: TransferID?, through last: TransferID, limit: Int
    ) throws(TransferError) -> [TransferID] {
        try waitingLines.ids(in: line, after: after, through: last, limit: limit)
    }

    package func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(TransferError) -> [DueTransfer] {
        try waiting.due(after: last, from: start, through: end, limit: limit)
    }

    package func unfinishedCleanups() throws(TransferError) -> [TransferRecord] { try left.unfinishedCleanups() }

    package func unfinishedNames() throws(TransferError) -> [TransferRecord] { try left.unfinishedNames() }

    package func spooledTransfers(endedBefore moment: Date) throws(TransferError) -> [TransferID] {
        try left.spooledTransfers(endedBefore: moment)
    }

    package func remains(of ids: [TransferID]?) throws(TransferError) -> [Remains] { try left.remains(of: ids) }

    package func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(TransferError) -> [TransferEvent] {
        try log.events(after: number, session: session, ids: ids, kinds: kinds, limit: limit)
    }

    package func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(TransferError) -> [EventHead] {
        try log.eventHeads(after: number, session: session, limit: limit)
    }

    package var lastEventNumber: Int64 {
        get throws(TransferError) { try log.lastNumber }
    }

    package func lastEvent(of session: SessionID) throws(TransferError) -> Int64 { try log.last(of: session) }

    package func sessionsWithEvents() throws(TransferError) -> [SessionID] { try log.sessions() }

    package func settings() throws(TransferError) -> ServiceSettings? { try registry.service() }

    package func sessionSettings(_ id: SessionID) throws(TransferError) -> SessionSettings? {
        try registry.settings(of: id)
    }

    package func storedSessions() throws(TransferError) -> [(id: SessionID, settings: SessionSettings)] {
        try registry.stored()
    }

    package func sessions() throws(TransferError) -> [(
        id: SessionID, settings: SessionSettings, counts: [JournalPhase: Int]
    )] {
        try registry.counted()
    }

    package func lastTask(of id: SessionID) throws(TransferError) -> Int { try registry.lastTask(of: id) }

    package func order(of id: SessionID) throws(TransferError) -> [TransferID] { try registry.order(of: id) }

    package func cookies(of id: SessionID) throws(TransferError) -> TransferCookies { try registry.cookies(of: id) }

    package func applications() throws(TransferError) -> [String: ApplicationRecord] { try registry.applications() }

    package func registrations() throws(TransferError) -> [SessionID: SessionRegistration] {
        try registry.registrations()
    }
}
