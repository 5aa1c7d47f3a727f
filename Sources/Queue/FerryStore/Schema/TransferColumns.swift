import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// A transfer's record as the columns of a row.
///
/// An unreadable row never blocks the others. It is returned as a record that failed with `journal_failed`, made of its
/// readable parts. The row stays unchanged until a record is written over it. If the request is readable, the transfer
/// continues after a retry.
enum TransferColumns {
    /// The columns that are not in ``CoreColumns``, in the order of ``arguments(_:)``.
    private static let own = [
        "session", "priority", "origin", "destination", "former", "placed", "finished_at", "network", "line", "facts",
        "failures", "retry", "outcome", "secrets",
    ]
    private static let names = own + CoreColumns.names

    static let insert = """
        INSERT INTO transfers (\(names.joined(separator: ", ")), revision, id, created_at) \
        VALUES (\(names.map { _ in "?" }.joined(separator: ", ")), 1, ?, ?)
        """
    static let update = """
        UPDATE transfers SET \(names.map { "\($0) = ?" }.joined(separator: ", ")), \
        revision = \(CoreColumns.nextRevision) WHERE id = ? AND revision = ?
        """
    static let insertRequest = "INSERT INTO requests (request, credentials, id) VALUES (?, ?, ?)"
    static let updateRequest = "UPDATE requests SET request = ?, credentials = ?, template = NULL WHERE id = ?"
    static let select = """
        SELECT \(Column.list) FROM transfers LEFT JOIN requests USING (id) \(RequestTemplates.join) WHERE id = ?
        """

    /// SQL that reads rows as ``select`` does, but with the URL in its own column, so that the remaining request is
    /// equal in many rows.
    static let selectAlike = """
        SELECT \(Column.allCases.map { $0 == .request ? RequestTemplates.withoutURL : $0.expression }.joined(separator: ", ")), \
        \(RequestTemplates.url) FROM transfers LEFT JOIN requests USING (id) \(RequestTemplates.join) \
        WHERE id IN (SELECT value FROM json_each(?))
        """

    /// A column of ``select``.
    enum Column: Int, SelectedColumn {
        case id, createdAt, session, intent, priority, origin, attempts, finishedAt
        case request, credentials, facts, failures, retry, outcome
        case revision, restarts, activeSpent, activeAt, activeBoot, activeUptime

        var expression: String { self == .request ? RequestTemplates.whole : name }

        /// Position of the URL in a row of ``selectAlike``.
        static var url: Int { allCases.count }
    }

    /// Returns the arguments shared by ``insert`` and ``update``.
    static func arguments(_ record: TransferRecord) throws(ServiceError) -> StatementArguments {
        let request = record.request
        let values: [(any DatabaseValueConvertible)?] = [
            request.session.name, request.timing.priority.word, origin(request), destination(record), former(record),
            placed(record), record.finishedAt?.journalMilliseconds, StoredQueueKey.word(of: request.transport.network),
            StoredQueueKey.word(of: record), try text(record.facts, plain: TransferFacts()), try text(record.failures),
            try JournalJSON.text(ifPresent: record.retry), try JournalJSON.text(ifPresent: record.outcome),
            JournalSecrets(record).rawValue,
        ]
        return StatementArguments(values + CoreColumns.arguments(record.core))
    }

    /// Returns the arguments shared by ``insertRequest`` and ``updateRequest``.
    static func requestArguments(_ record: TransferRecord) throws(ServiceError) -> StatementArguments {
        [try JournalJSON.text(record.request), try JournalJSON.text(ifPresent: record.credentials), record.id.column]
    }

    /// Represents initial facts and failures, of which there may be a million.
    static let plain = "{}"

    /// Returns the text of failures. Most transfers have none.
    static func text(_ failures: FailureLedger) throws(ServiceError) -> String {
        try text(failures, plain: FailureLedger())
    }

    private static func text<Value: Encodable & Equatable>(
        _ value: Value, plain: Value
    ) throws(ServiceError) -> String {
        try value == plain ? Self.plain : JournalJSON.text(value)
    }

    /// Returns the path reserved by a live transfer.
    static func destination(_ record: TransferRecord) -> String? {
        record.outcome == nil ? record.facts.destination : nil
    }

    /// Returns the path that a finished transfer reserves again if it is resumed.
    static func former(_ record: TransferRecord) -> String? {
        record.outcome == nil ? nil : record.facts.destination
    }

    /// Returns the path of a succeeded transfer's file.
    static func placed(_ record: TransferRecord) -> String? {
        guard case .succeeded(let success) = record.outcome,
            JournalPhase(record.core) == .succeeded
        else { return nil }
        return success.path
    }

    private static func origin(_ request: TransferRequest) -> String {
        (try? HTTPURL(parsing: request.url))?.origin.description ?? request.url
    }

    /// Returns the record of a row of ``select``, and the unreadable columns.
    ///
    /// - Parameter known: The request, if it is already decoded.
    static func record(
        from row: RowReader, request known: TransferRequest? = nil
    ) -> (record: TransferRecord, unreadable: [String]) {
        var unreadable: [String] = []
        func take<Value: Decodable>(_ column: Column, required: Bool = false) -> Value? {
            let value = row.json(column, as: Value.self)
            if value == nil, required || !row.isNull(column) { unreadable.append(column.name) }
            return value
        }
        let id = TransferID(column: row.integer(Column.id) ?? 0)
        let createdAt = row.date(Column.createdAt) ?? Date(journalMilliseconds: Int64(id.rawValue >> 20))
        let request: TransferRequest = known ?? take(.request, required: true) ?? substituteRequest(row)
        var record = TransferRecord(id: id, createdAt: createdAt, request: request, credentials: take(.credentials))
        if let intent = row.text(Column.intent).flatMap(TransferIntent.init) {
            record.intent = intent
        } else {
            unreadable.append("intent")
        }
        record.attempts = row.count(Column.attempts)
        record.finishedAt = row.date(Column.finishedAt)
        if row.text(Column.facts) != plain { record.facts = take(.facts, required: true) ?? TransferFacts() }
        if row.text(Column.failures) != plain { record.failures = take(.failures, required: true) ?? FailureLedger() }
        record.retry = take(.retry)
        record.outcome = take(.outcome)
        record.revision = Revision(row.integer(Column.revision) ?? 0)
        record.active = CoreColumns.active(
            row, spent: Column.activeSpent, at: .activeAt, boot: .activeBoot, uptime: .activeUptime)
        // A checkpoint writes both. A bulk action writes the column alone.
        if let restarts = row.integer(Column.restarts), restarts != record.facts.restarts {
            record.facts.restarts = Int(restarts)
        }
        if !unreadable.isEmpty {
            let columns = unreadable.joined(separator: ", ")
            record.retry = nil
            record.outcome = .failed(
                ServiceError(
                    .journalFailed,
                    "The journal's record of transfer \(id) cannot be read (\(columns)); remove it and submit it again."
                ))
            record.finishedAt = record.finishedAt ?? createdAt
        }
        record.clampNumbers()
        return (record, unreadable)
    }

    /// Builds a substitute for an unreadable request from the typed columns.
    private static func substituteRequest(_ row: RowReader) -> TransferRequest {
        var request = TransferRequest(url: row.text(Column.origin) ?? "", folder: "")
        if let session = row.text(Column.session).flatMap({ try? SessionID($0) }) { request.session = session }
        if let priority = row.text(Column.priority).flatMap(Priority.init(word:)) { request.timing.priority = priority }
        return request
    }
}
