// Ferry: FerryStore
// What a session has, in short.

package import FerryCore
import GRDB

extension JournalReads {
    /// The transfers of a session in the order of submission: all, or those of the named ones that are its own.
    package func transfers(of session: SessionID, among ids: [TransferID]?) throws(TransferError) -> [TransferID] {
        try Self.ids(connection, session, ids, "")
    }

    /// The transfers of a session that some runs name, or all, in the order of submission.
    ///
    /// Costs what exists within the runs, however many ids they name.
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

    /// Those of them that have succeeded, as records, in the order of submission.
    package func succeeded(of session: SessionID, among ids: [TransferID]) throws(TransferError) -> [TransferRecord] {
        try records(try Self.ids(connection, session, ids, "AND phase = 3"))
    }

    /// The number of the latest durable event of a session that it has not acknowledged; 0 if there is none.
    package func lastEvent(of session: SessionID) throws(TransferError) -> Int64 {
        try connection.row(
            "SELECT number FROM events WHERE session = ? ORDER BY number DESC LIMIT 1", [session.name]
        )
        .flatMap { RowReader($0).integer(0) } ?? 0
    }

    /// Which of some paths live transfers have reserved.
    package func held(_ paths: [String]) throws(TransferError) -> Set<String> {
        var held: Set<String> = []
        for path in paths where try destinationHolder(path) != nil { held.insert(path) }
        return held
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
