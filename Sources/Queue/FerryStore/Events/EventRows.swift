import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// Durable events: numbered, kept until acknowledged.
struct EventRows {
    let connection: JournalConnection

    // MARK: Reading

    func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> [TransferEvent] {
        var events: [TransferEvent] = []
        var last = number
        var hasMore = true
        // An unreadable row does not hide the rows behind it.
        while hasMore, events.count < limit {
            let rows = try eventRows(
                after: last, session: session, ids: ids, kinds: kinds, limit: limit - events.count)
            events += rows.events
            (last, hasMore) = (rows.last, rows.hasMore)
        }
        return events
    }

    /// - Returns: The readable events, the number of the last row, and whether more rows may follow.
    private func eventRows(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(ServiceError) -> (events: [TransferEvent], last: Int64, hasMore: Bool) {
        var sql = "SELECT number, kind, at, id, session, snapshot FROM events WHERE number > ?"
        var arguments: StatementArguments = [number]
        if let session {
            sql += " AND session = ?"
            arguments += [session.name]
        }
        if let ids {
            sql += " AND id IN (SELECT value FROM json_each(?))"
            arguments += [PageQuery.json(ids)]
        }
        if let kinds {
            sql += " AND kind IN (\(kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
        }
        sql += " ORDER BY number LIMIT ?"
        arguments += [limit]
        var events: [TransferEvent] = []
        var lacking: [Int] = []
        var last = number
        var advances = true
        var rows = 0
        try connection.forEachRow(sql, arguments) { row in
            rows += 1
            if let number = row.integer(0) {
                advances = advances && number > last
                last = number
            }
            guard let number = row.integer(0),
                let kind = row.text(1).map({ TransferEvent.Kind(rawValue: $0) ?? .unknown }),
                let at = row.date(2), let id = row.integer(3).map(TransferID.init(column:)),
                let session = row.text(4).flatMap({ try? SessionID($0) })
            else {
                connection.report(unreadable: ["event"], of: "event \(row.integer(0) ?? 0)")
                return
            }
            let snapshot = row.json(5, as: Transfer.self)
            if snapshot == nil {
                if row.isNull(5) {
                    lacking.append(events.count)
                } else {
                    connection.report(unreadable: ["snapshot"], of: "event \(number)")
                }
            }
            events.append(
                TransferEvent(number: number, kind: kind, at: at, id: id, session: session, transfer: snapshot))
        }
        try connection.checkAdvance(advances)
        for index in lacking {
            if let record = try TransferRows(connection: connection).record(events[index].id) {
                events[index].transfer = Transfer(record, live: .waiting(.slot))
            }
        }
        return (events, last, rows == limit)
    }

    func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(ServiceError) -> [EventHead] {
        var heads: [EventHead] = []
        try connection.forEachRow(
            "SELECT number, id, kind FROM events WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
            [session.name, number, limit]
        ) { row in
            guard let number = row.integer(0), let id = row.integer(1) else { return }
            let kind = row.text(2).flatMap(TransferEvent.Kind.init(rawValue:)) ?? .unknown
            heads.append(EventHead(number: number, id: TransferID(column: id), kind: kind))
        }
        let numbers = [number] + heads.map(\.number)
        try connection.checkAdvance(zip(numbers, numbers.dropFirst()).allSatisfy(<))
        return heads
    }

    var lastNumber: Int64 {
        get throws(ServiceError) {
            try connection.row("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
                .flatMap { RowReader($0).integer(0) }
                // Caps the number, so that further numbers never run out.
                .map { min(max(0, $0), 1 << 62) } ?? 0
        }
    }

    func last(of session: SessionID) throws(ServiceError) -> Int64 {
        try connection.row(
            "SELECT number FROM events WHERE session = ? ORDER BY number DESC LIMIT 1", [session.name]
        )
        .flatMap { RowReader($0).integer(0) } ?? 0
    }

    /// Returns the names of all sessions that have events.
    func sessions() throws(ServiceError) -> [SessionID] {
        var sessions: [SessionID] = []
        // Jumps from one session to the next in the index, past the events between. A damaged index may lead back to a
        // name: UNION ends there, where UNION ALL would not.
        try connection.forEachRow(
            """
            WITH RECURSIVE names (name) AS (
                SELECT min(session) FROM events
                UNION
                SELECT (SELECT min(session) FROM events WHERE session > name) FROM names WHERE name IS NOT NULL
            )
            SELECT name FROM names WHERE name IS NOT NULL
            """
        ) { row in
            if let session = row.text(0).flatMap({ try? SessionID($0) }) { sessions.append(session) }
        }
        return sessions
    }

    // MARK: Changes

    /// Records an event and returns its number. Numbers increase, even after events are deleted.
    ///
    /// - Parameter snapshot: The transfer as the event shows it permanently. With `nil`, readers see the transfer's
    ///   state at the time of reading.
    @discardableResult
    func append(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(ServiceError) -> Int64 {
        try connection.execute(
            "INSERT INTO events (session, id, kind, at, snapshot) VALUES (?, ?, ?, ?, ?)",
            [
                session.name, id.column, kind.rawValue, at.journalMilliseconds,
                try JournalJSON.text(ifPresent: snapshot),
            ])
        return connection.database.lastInsertedRowID
    }

    /// Deletes a session's events up to and including a number.
    func acknowledge(_ session: SessionID, through number: Int64) throws(ServiceError) {
        try connection.execute("DELETE FROM events WHERE session = ? AND number <= ?", [session.name, number])
    }

    /// Deletes events of a session beyond its limits, 5000 at most per call, so that no other commit waits long.
    ///
    /// - Returns: Whether more of them may remain.
    func trim(of session: SessionID, _ limits: EventRetention.Limits) throws(ServiceError) -> Bool {
        // Number of the newest event beyond the maximum count.
        var last: Int64 = -1
        if let most = limits.most {
            let row = try connection.row(
                "SELECT number FROM events WHERE session = ? ORDER BY number DESC LIMIT 1 OFFSET ?",
                [session.name, max(0, most)])
            last = row.flatMap { RowReader($0).integer(0) } ?? -1
        }
        let gone = try connection.execute(
            """
            DELETE FROM events WHERE number IN (
                SELECT number FROM events WHERE session = ?1 AND (number <= ?2 OR at < ?3 OR at < ?4 AND kind <> 'removed' \
                AND NOT EXISTS (SELECT 1 FROM transfers WHERE transfers.id = events.id)) LIMIT ?5
            )
            """,
            [
                session.name, last, limits.oldest.journalMilliseconds,
                limits.oldestOfRemoved?.journalMilliseconds ?? .min, Self.trimmedAtOnce,
            ])
        return gone == Self.trimmedAtOnce
    }

    private static var trimmedAtOnce: Int { 5000 }

    /// Records an event of one kind for each of these transfers, in their order.
    @discardableResult
    func append(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(ServiceError) -> EventRun {
        guard !ids.isEmpty else {
            return EventRun(kind: kind, session: session, at: at, first: try lastNumber + 1, ids: [])
        }
        try connection.deferCheckpoint(changing: ids.count)
        try connection.execute(
            "INSERT INTO events (session, id, kind, at) SELECT ?, value, ?, ? FROM json_each(?)",
            [session.name, kind.rawValue, at.journalMilliseconds, PageQuery.json(ids)])
        let first = connection.database.lastInsertedRowID - Int64(ids.count) + 1
        return EventRun(kind: kind, session: session, at: at, first: first, ids: ids)
    }
}
