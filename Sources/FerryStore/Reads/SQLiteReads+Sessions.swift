package import FerryCore
import GRDB

/// What a session has, in short.
extension SQLiteReads {
    package func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(TransferError) -> [TransferID] {
        guard let phase else { return try Self.ids(connection, session, ids, "") }
        return try Self.ids(connection, session, ids, "AND phase = ?", [phase.rawValue])
    }

    package func transfers(
        of session: SessionID, within runs: TransferIDRuns?
    ) throws(TransferError) -> [TransferID] {
        guard let runs else { return try transfers(of: session, among: nil) }
        var found: [TransferID] = []
        let bounds = runs.merged.map { "[\($0.first.column),\($0.last.column)]" }.joined(separator: ",")
        // CROSS JOIN fixes the order: each run is looked up among the ids.
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

    package func lastEvent(of session: SessionID) throws(TransferError) -> Int64 {
        try connection.row(
            "SELECT number FROM events WHERE session = ? ORDER BY number DESC LIMIT 1", [session.name]
        )
        .flatMap { RowReader($0).integer(0) } ?? 0
    }

    /// Ids of a session's transfers, oldest first, for which a condition holds.
    static func ids(
        _ connection: JournalConnection, _ session: SessionID, _ ids: [TransferID]?, _ condition: String,
        _ arguments: StatementArguments = []
    ) throws(TransferError) -> [TransferID] {
        var found: [TransferID] = []
        let named = ids == nil ? "" : "AND id IN (SELECT value FROM json_each(?))"
        var values: StatementArguments = [session.name]
        if let ids { values += [PageQuery.json(ids)] }
        values += arguments
        // A `+` keeps SQLite from walking over the whole session where ids are named.
        try connection.forEachRow(
            "SELECT id FROM transfers WHERE \(ids == nil ? "" : "+")session = ? \(named) \(condition) ORDER BY id",
            values
        ) { row in
            if let id = row.integer(0) { found.append(TransferID(column: id)) }
        }
        return found
    }
}
