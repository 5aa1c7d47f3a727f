import FerryCore
import FerryQueue
import FerryRules
import GRDB

/// Reads parts of the queue in order, one page at a time.
struct QueueParts {
    let connection: JournalConnection

    // MARK: Waiting transfers

    func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        guard limit > 0 else { return [] }
        let excluded = PageQuery.json(filter.excluding)
        let tail =
            (filter.excluding.isEmpty ? "" : " AND +id NOT IN (SELECT value FROM json_each(?))")
            + " ORDER BY id \(filter.reversed ? "DESC" : "ASC") LIMIT ?"
        var last: StatementArguments = filter.excluding.isEmpty ? [] : [excluded]
        last += [limit]
        let (session, first) = Self.session(filter.session)
        guard priority == .normal else {
            // The index holds only unusual priorities. The extra condition lets SQLite use it.
            return try ids(
                "SELECT id FROM transfers WHERE \(session)phase < 2 AND priority <> 'normal' AND priority = ?\(tail)",
                first + [priority.word] + last)
        }
        // An index returns each phase in order. The priority is checked in each row and is nearly always `normal`.
        var found: [TransferID] = []
        for phase in [JournalPhase.pending, .suspended] {
            found += try ids(
                "SELECT id FROM transfers WHERE \(session)phase = ? AND +priority = 'normal'\(tail)",
                first + [phase.rawValue] + last)
        }
        found.sort { filter.reversed ? $0 > $1 : $0 < $1 }
        return found.count > limit ? Array(found.prefix(limit)) : found
    }

    func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(ServiceError) -> [TransferID: Priority] {
        var found: [TransferID: Priority] = [:]
        let (_, arguments) = Self.session(filter.session)
        try connection.forEachRow(
            """
            SELECT id, priority FROM transfers WHERE id IN (SELECT value FROM json_each(?)) AND +phase < 2\
            \(filter.session == nil ? "" : " AND +session = ?")
            """,
            [PageQuery.json(ids)] + arguments
        ) { row in
            guard let id = row.integer(0).map(TransferID.init(column:)), !filter.excluding.contains(id) else { return }
            found[id] = row.text(1).flatMap(Priority.init(word:)) ?? .normal
        }
        return found
    }

    func unusualPriorities(of session: SessionID?) throws(ServiceError) -> [Priority] {
        var found: Set<Priority> = []
        guard let session else {
            try connection.forEachRow(
                "SELECT DISTINCT priority FROM transfers WHERE phase < 2 AND priority <> 'normal'"
            ) { row in
                if let priority = row.text(0).flatMap(Priority.init(word:)) { found.insert(priority) }
            }
            return Array(found)
        }
        // Each search skips to the next priority in the index, past all transfers with the last one.
        var last = ""
        while let word = try next(after: last, of: session), word > last {
            if let priority = Priority(word: word) { found.insert(priority) }
            last = word
        }
        return Array(found)
    }

    private func next(after word: String, of session: SessionID) throws(ServiceError) -> String? {
        try connection.row(
            """
            SELECT priority FROM transfers WHERE session = ? AND phase < 2 AND priority <> 'normal' AND priority > ? \
            ORDER BY priority LIMIT 1
            """,
            [session.name, word]
        )
        .flatMap { RowReader($0).text(0) }
    }

    // MARK: Finished transfers

    func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(ServiceError) -> [TransferID] {
        guard limit > 0 else { return [] }
        let order = reversed ? "DESC" : "ASC"
        let (condition, arguments) = Self.session(session)
        return try ids(
            """
            SELECT id FROM transfers WHERE \(condition)phase > 2 ORDER BY finished_at \(order), id \(order) \
            LIMIT ? OFFSET ?
            """,
            arguments + [limit, offset])
    }

    // MARK: -

    /// Returns the condition that restricts rows to a session, with its argument. Empty for all sessions.
    private static func session(_ session: SessionID?) -> (String, StatementArguments) {
        session.map { ("session = ? AND ", [$0.name]) } ?? ("", [])
    }

    private func ids(_ sql: String, _ arguments: StatementArguments) throws(ServiceError) -> [TransferID] {
        var found: [TransferID] = []
        try connection.forEachRow(sql, arguments) { row in
            if let id = row.integer(0) { found.append(TransferID(column: id)) }
        }
        return found
    }
}
