// Ferry: FerryStore
// What a session's client does to many transfers, a statement for all of them.

package import FerryCore
package import Foundation
import GRDB

extension SQLiteTransaction {
    // MARK: Pause

    /// Suspends those of a session's transfers that may run, with their events.
    package func suspend(
        _ ids: [TransferID], of session: SessionID, at moment: ActiveTime.Instant
    ) throws(TransferError) -> EventRun {
        let concerned = try Self.ids(connection, session, ids, "AND phase = 0")
        try connection.execute(
            """
            UPDATE transfers SET intent = 'suspend', phase = 1, retry = NULL, retry_at = NULL, due = NULL, \
            active = CASE WHEN (\(JournalJSON.extract("start", from: "active"))) IS NOT NULL THEN \
            json_object('spent', json_extract(active, '$.spent') + max(0.0, \
            CASE WHEN json_extract(active, '$.start.boot') = ? THEN ? - json_extract(active, '$.start.uptime') \
            ELSE (? - json_extract(active, '$.start.wall')) / 1000.0 END)) ELSE active END \
            WHERE id IN (SELECT value FROM json_each(?))
            """,
            [moment.boot, moment.uptime, moment.wall.journalMilliseconds, PageQuery.json(concerned)])
        return try appendEvents(kind: .suspended, at: moment.wall, ids: concerned, session: session)
    }

    // MARK: Start

    /// Lets those of a session's transfers run that are suspended, failed or canceled, and those that wait for a moment; with
    /// their events.
    ///
    /// A transfer that has ended and lost its secrets is not asked for without them.
    /// - Parameters:
    ///   - delayed: those that may run and wait for a moment.
    ///   - anew: those that have succeeded and are fetched again, as they are to be stored.
    package func begin(
        _ ids: [TransferID], of session: SessionID, delayed: [TransferID], anew: [TransferRecord],
        at moment: ActiveTime.Instant
    ) throws(TransferError) -> BegunTransfers {
        var active = ActiveTime()
        active.begin(at: moment)
        let begun = try JournalJSON.text(active)
        let ledger = try JournalJSON.text(FailureLedger())
        var unfinished = try Self.ids(connection, session, ids, "AND phase = 1")
        unfinished += try Self.ids(connection, session, delayed, "AND phase = 0")
        var lacking = try Self.ids(connection, session, ids, "AND phase > 3 AND \(Self.lacksSecrets)")
        let stay = Set(lacking)
        let ended = try Self.ids(connection, session, ids, "AND phase > 3").filter { !stay.contains($0) }
        let succeeded = Set(try Self.ids(connection, session, anew.map(\.id), "AND phase = 3"))
        var again: [TransferID] = []
        for record in anew where succeeded.contains(record.id) {
            if record.request.secretsForgotten {
                lacking.append(record.id)
            } else {
                try restart(record)
                again.append(record.id)
            }
        }
        let live = """
            intent = 'run', phase = 0, outcome = NULL, finished_at = NULL, retry = NULL, retry_at = NULL, failures = ?
            """
        // Most have none, as the text tells without being read as JSON.
        let restarts = """
            CASE WHEN instr(facts, '"restarts":') = 0 OR instr(facts, '"restarts":0') > 0 THEN facts \
            WHEN json_valid(facts) THEN json_set(facts, '$.restarts', 0) ELSE facts END
            """
        // The time under way goes on where it was suspended, and starts again after an end.
        let started = moment.wall.journalMilliseconds
        let due = Self.due(
            start: JournalJSON.extract("start.wall", from: "active"),
            spent: JournalJSON.extract("spent", from: "active"))
        try connection.execute(
            """
            UPDATE transfers SET \(live), due = \(due), facts = \(restarts), active = CASE WHEN active IS NULL THEN ? \
            WHEN json_valid(active) THEN CASE WHEN json_extract(active, '$.start') IS NULL \
            THEN json_set(active, '$.start', json(json_extract(?, '$.start'))) ELSE active END ELSE active END \
            WHERE id IN (SELECT value FROM json_each(?))
            """,
            [ledger, started, started, begun, begun, PageQuery.json(unfinished)])
        if !ended.isEmpty {
            try beginAgain(ended, live, restarts, [ledger, started, started, begun, PageQuery.json(ended)])
        }
        let concerned = (unfinished + ended + again).sorted()
        let events = try appendEvents(kind: .resumed, at: moment.wall, ids: concerned, session: session)
        return BegunTransfers(events: events, lacking: lacking.sorted())
    }

    /// Whether a transfer has lost secrets that its request had.
    private static let lacksSecrets = """
        EXISTS (SELECT 1 FROM requests WHERE requests.id = transfers.id AND \(TransferColumns.lacksSecrets))
        """

    /// When the time of a transfer is over that goes on, as `TransferRecord.due` says it.
    ///
    /// Takes the moment of the start as an argument, twice.
    /// - Parameters:
    ///   - start: when it began, where that is not at the start; NULL if it is.
    ///   - spent: seconds before that; NULL is none.
    private static func due(start: String, spent: String) -> String {
        // One SELECT, as one around another takes SQLite half as long again for each row.
        let deadline = "CAST(json_extract(request, '$.deadline') AS INTEGER)"
        let end = """
            CAST(ifnull(\(start), ?) + (json_extract(request, '$.resource_timeout') - ifnull(\(spent), 0)) * 1000 AS INTEGER)
            """
        return """
            (SELECT CASE WHEN json_valid(request) THEN CASE WHEN \(deadline) IS NULL THEN \(end) \
            ELSE min(\(deadline), ifnull(\(end), \(deadline))) END END FROM requests WHERE requests.id = transfers.id)
            """
    }

    /// Lets those go on that have ended; a name that was taken meanwhile is chosen anew by the next head.
    private func beginAgain(
        _ ids: [TransferID], _ live: String, _ restarts: String, _ arguments: StatementArguments
    ) throws(TransferError) {
        let due = Self.due(start: "NULL", spent: "NULL")
        try connection.execute(
            """
            UPDATE OR IGNORE transfers SET \(live), due = \(due), facts = \(restarts), active = ?, \
            destination = \(JournalJSON.extract("destination", from: "facts")) \
            WHERE phase > 3 AND id IN (SELECT value FROM json_each(?))
            """, arguments)
        try connection.execute(
            """
            UPDATE transfers SET \(live), due = \(due), active = ?, destination = NULL, \
            facts = CASE WHEN json_valid(facts) THEN json_remove(facts, '$.destination') ELSE facts END \
            WHERE phase > 3 AND id IN (SELECT value FROM json_each(?))
            """, arguments)
    }

    /// Stores one that is fetched again, without its name if that was taken meanwhile.
    private func restart(_ record: TransferRecord) throws(TransferError) {
        var record = record
        if let path = record.facts.destination, try destinationHolder(path) != nil { record.facts.destination = nil }
        try update(record)
    }

    // MARK: Removal

    /// Forgets those of a session's transfers that leave nothing behind, with their events, and notes of the others that
    /// they are to be forgotten.
    ///
    /// - Parameters:
    ///   - intent: `remove`, which leaves finished files, or `removeWithFile`.
    ///   - sparesSucceeded: whether those that have succeeded are left as they are.
    ///   - live: those that may be writing.
    /// - Returns: The events, and those that are still to be cleaned up.
    package func remove(
        _ ids: [TransferID], of session: SessionID, intent: TransferIntent, sparesSucceeded: Bool,
        live: Set<TransferID>, at now: Date
    ) throws(TransferError) -> (removed: EventRun, begun: [TransferID]) {
        let spared = sparesSucceeded ? "AND phase <> 3" : ""
        let placed =
            intent == .removeWithFile
            ? "phase = 3"
            : """
            (phase = 3 AND (SELECT \(JournalJSON.extract("spooled", from: "request")) FROM requests \
            WHERE requests.id = transfers.id) = 1)
            """
        let begun = try Self.ids(
            connection, session, ids,
            "\(spared) AND (has_partial = 1 OR phase = 2 OR \(placed) OR id IN (SELECT value FROM json_each(?)))",
            [PageQuery.json(live)])
        let left = Set(begun)
        let removed = try Self.ids(connection, session, ids, spared).filter { !left.contains($0) }
        try connection.execute(
            """
            UPDATE transfers SET intent = ?, phase = 2, retry = NULL, retry_at = NULL, \
            placed = NULL WHERE id IN (SELECT value FROM json_each(?))
            """,
            [intent.rawValue, PageQuery.json(begun)])
        return (try forget(removed, of: session, at: now), begun)
    }

    /// Keeps transfers after all that have succeeded meanwhile.
    package func keep(_ ids: [TransferID]) throws(TransferError) {
        for id in ids {
            guard var record = try record(id) else { continue }
            record.intent = .run
            try update(record)
        }
    }

    /// Forgets transfers, with their events.
    package func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(TransferError) -> EventRun {
        try deleteRequests(ids)
        try connection.execute(
            "DELETE FROM transfers WHERE id IN (SELECT value FROM json_each(?))", [PageQuery.json(ids)])
        return try appendEvents(kind: .removed, at: now, ids: ids, session: session)
    }
}
