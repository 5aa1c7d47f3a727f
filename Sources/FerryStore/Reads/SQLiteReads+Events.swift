package import FerryCore
import GRDB

/// Reading durable events.
extension SQLiteReads {
    package func events(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(TransferError) -> [TransferEvent] {
        var events: [TransferEvent] = []
        var last = number
        var hasMore = true
        // Rows that cannot be read hide none behind them.
        while hasMore, events.count < limit {
            let rows = try eventRows(
                after: last, session: session, ids: ids, kinds: kinds, limit: limit - events.count)
            events += rows.events
            (last, hasMore) = (rows.last, rows.hasMore)
        }
        return events
    }

    /// - Returns: the events that can be read, the number of the last row, and whether there may be more behind it.
    private func eventRows(
        after number: Int64, session: SessionID?, ids: Set<TransferID>?, kinds: [TransferEvent.Kind]?, limit: Int
    ) throws(TransferError) -> (events: [TransferEvent], last: Int64, hasMore: Bool) {
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
            if let record = try record(events[index].id) {
                events[index].transfer = Transfer(record, live: .waiting(.slot))
            }
        }
        return (events, last, rows == limit)
    }

    package func eventHeads(
        after number: Int64, session: SessionID, limit: Int
    ) throws(TransferError) -> [EventHead] {
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

    package var lastEventNumber: Int64 {
        get throws(TransferError) {
            try connection.row("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
                .flatMap { RowReader($0).integer(0) }
                // Leaves room for more numbers than there will ever be.
                .map { min(max(0, $0), 1 << 62) } ?? 0
        }
    }
}
