import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// Lists of transfers: indexed pages, a session's transfers, and counts.
struct TransferLists {
    let connection: JournalConnection

    // MARK: Pages

    /// Returns the ids of a page. Reads about as many index entries as the page has rows.
    ///
    /// - Throws: `journal_failed` if a damaged index points backward.
    func ids(of filter: JournalFilter) throws(ServiceError) -> [TransferID] {
        guard filter.limit > 0, filter.only?.isEmpty != true else { return [] }
        // A list of several phases merges one ordered list per phase, which an index returns without sorting.
        let isEveryPhase = filter.phases.isEmpty || filter.phases.count == JournalPhase.allCases.count
        let phases: [JournalPhase?] = isEveryPhase ? [nil] : filter.phases.sorted { $0.rawValue < $1.rawValue }
        var ids: [TransferID] = []
        for phase in phases {
            let query = PageQuery(filter, phase: phase)
            var last = filter.after?.column
            var advances = true
            try connection.forEachRow(query.sql, query.arguments) { row in
                guard let id = row.integer(0) else { return }
                if let last, filter.newestFirst ? id >= last : id <= last { advances = false }
                last = id
                ids.append(TransferID(column: id))
            }
            try connection.checkAdvance(advances)
        }
        if phases.count > 1 {
            ids.sort { filter.newestFirst ? $0 > $1 : $0 < $1 }
            ids.removeLast(max(0, ids.count - filter.limit))
        }
        return ids
    }

    func listing(_ ids: [TransferID]) throws(ServiceError) -> [ListedTransfer] {
        var listed: [TransferID: ListedTransfer] = [:]
        listed.reserveCapacity(ids.count)
        // SQLite extracts the few displayed values from the JSON. Decoding all of it takes several times as long.
        var networks = RepeatedJSON<NetworkPolicy>()
        try connection.forEachRow(ListedColumns.select, [PageQuery.json(ids)]) { row in
            if let transfer = ListedColumns.transfer(from: row, &networks) { listed[transfer.record.id] = transfer }
        }
        var result: [ListedTransfer] = []
        result.reserveCapacity(ids.count)
        for id in ids {
            if let transfer = listed[id] {
                result.append(transfer)
            } else if let record = try TransferRows(connection: connection).record(id) {
                // A part of the row is unreadable. Reading the whole row reports which.
                result.append(ListedTransfer(record: record, origin: record.request.url))
            }
        }
        return result
    }

    // MARK: Sessions

    func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(ServiceError) -> [TransferID] {
        guard let phase else { return try self.ids(session, ids, "") }
        return try self.ids(session, ids, "AND phase = ?", [phase.rawValue])
    }

    func transfers(
        of session: SessionID, within runs: TransferIDRuns?
    ) throws(ServiceError) -> [TransferID] {
        guard let runs else { return try transfers(of: session, among: nil, in: nil) }
        var found: [TransferID] = []
        let bounds = runs.merged.map { "[\($0.first.column),\($0.last.column)]" }.joined(separator: ",")
        // CROSS JOIN fixes the join order: each run is looked up among the ids.
        try connection.forEachRow(
            """
            SELECT t.id FROM json_each(?) AS run CROSS JOIN transfers AS t \
            ON t.id BETWEEN json_extract(run.value, '$[0]') AND json_extract(run.value, '$[1]') WHERE +t.session = ?
            """,
            ["[\(bounds)]", session.name]
        ) { row in
            if let id = row.integer(0) { found.append(TransferID(column: id)) }
        }
        return found
    }

    /// Returns the ids of a session's transfers that match a condition, oldest first.
    private func ids(
        _ session: SessionID, _ ids: [TransferID]?, _ condition: String,
        _ arguments: StatementArguments = []
    ) throws(ServiceError) -> [TransferID] {
        var found: [TransferID] = []
        let named = ids == nil ? "" : "AND id IN (SELECT value FROM json_each(?))"
        var values: StatementArguments = [session.name]
        if let ids { values += [PageQuery.json(ids)] }
        values += arguments
        // A `+` keeps SQLite from scanning the whole session if ids are given.
        try connection.forEachRow(
            "SELECT id FROM transfers WHERE \(ids == nil ? "" : "+")session = ? \(named) \(condition) ORDER BY id",
            values
        ) { row in
            if let id = row.integer(0) { found.append(TransferID(column: id)) }
        }
        return found
    }

    func hasPending(_ session: SessionID, besides count: Int) throws(ServiceError) -> Bool {
        try connection.row(
            "SELECT 1 FROM transfers WHERE session = ? AND phase = 0 LIMIT 1 OFFSET ?", [session.name, count]) != nil
    }

    func hasEnded(_ session: SessionID, after moment: Date?) throws(ServiceError) -> Bool {
        try connection.row(
            "SELECT 1 FROM transfers WHERE session = ? AND phase > 2 AND finished_at > ? LIMIT 1",
            [session.name, moment?.journalMilliseconds ?? Int64.min]) != nil
    }

    // MARK: Counts

    func counts(session: SessionID?) throws(ServiceError) -> [JournalPhase: Int] {
        var counts: [JournalPhase: Int] = [:]
        let (condition, arguments): (String, StatementArguments) =
            session.map { ("WHERE session = ?", [$0.name]) } ?? ("", [])
        try connection.forEachRow("SELECT phase, count(*) FROM transfers \(condition) GROUP BY phase", arguments) {
            row in
            guard let phase = row.integer(0).flatMap({ JournalPhase(rawValue: Int($0)) }) else { return }
            counts[phase] = row.integer(1).map(Int.init)
        }
        return counts
    }
}
