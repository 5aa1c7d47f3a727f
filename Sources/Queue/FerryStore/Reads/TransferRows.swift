import FerryCore
import FerryRules
import GRDB
import Synchronization

/// Complete transfer rows, and their tags.
struct TransferRows {
    let connection: JournalConnection

    /// Returns a transfer's record. An unreadable row is returned as failed with `journal_failed`: see
    /// ``TransferColumns``.
    func record(_ id: TransferID) throws(ServiceError) -> TransferRecord? {
        guard let row = try connection.row(TransferColumns.select, [id.column]) else { return nil }
        let (record, unreadable) = TransferColumns.record(from: RowReader(row))
        if !unreadable.isEmpty { connection.report(unreadable: unreadable, of: "transfer \(id)") }
        return record
    }

    /// Returns the records of transfers. Decodes the shared part of requests that were submitted together once.
    func records(_ ids: [TransferID]) throws(ServiceError) -> [TransferRecord] {
        if ids.count == 1 { return try record(ids[0]).map { [$0] } ?? [] }
        var found: [TransferID: TransferRecord] = [:]
        var others: [TransferID] = []
        var alike = connection.alike?.latest ?? AlikeRecords()
        try connection.forEachRow(TransferColumns.selectAlike, [PageQuery.json(ids)]) { row in
            guard let id = row.integer(TransferColumns.Column.id).map(TransferID.init(column:)) else { return }
            guard
                let request = alike.request(
                    row.text(TransferColumns.Column.request), url: row.text(TransferColumns.Column.url))
            else { return others.append(id) }
            let (record, unreadable) = TransferColumns.record(from: row, request: request)
            if unreadable.isEmpty { found[id] = record } else { others.append(id) }
        }
        // Unreadable rows are read again one by one.
        for id in others { found[id] = try record(id) }
        connection.alike?.latest = alike
        return ids.compactMap { found[$0] }
    }

    var lastID: TransferID? {
        get throws(ServiceError) {
            try connection.row("SELECT seq FROM sqlite_sequence WHERE name = 'transfers'")
                .flatMap { RowReader($0).integer(0) }
                .map(TransferID.init(column:))
        }
    }

    func holder(of path: String) throws(ServiceError) -> TransferID? {
        try connection.row(
            "SELECT id FROM transfers WHERE destination = ? AND destination IS NOT NULL", [path]
        )
        .flatMap { RowReader($0).integer(0) }
        .map(TransferID.init(column:))
    }

    func lastPlaced(at path: String) throws(ServiceError) -> TransferRecord? {
        let row = try connection.row(
            "SELECT id FROM transfers WHERE placed = ? AND placed IS NOT NULL ORDER BY id DESC LIMIT 1", [path])
        guard let id = row.flatMap({ RowReader($0).integer(0) }) else { return nil }
        return try record(TransferID(column: id))
    }

    func insert(_ tags: [String], of id: TransferID) throws(ServiceError) {
        for tag in tags {
            try connection.execute("INSERT OR IGNORE INTO transfer_tags (tag, id) VALUES (?, ?)", [tag, id.column])
        }
    }
}

/// Cache of the last decoded request of transfers that were submitted together.
///
/// Their requests mostly differ only in their URLs.
struct AlikeRecords: Sendable {
    private var latest = RepeatedJSON<TransferRequest>()

    /// - Parameters:
    ///   - text: The request without its URL.
    mutating func request(_ text: String?, url: String?) -> TransferRequest? {
        guard let url, var request = latest.value(text) else { return nil }
        request.url = url
        return request
    }
}

/// Keeps the last decoded request between reads. With concurrent reads, the last one to finish is kept.
final class AlikeMemory: Sendable {
    private let records = Mutex(AlikeRecords())

    var latest: AlikeRecords {
        get { records.withLock { $0 } }
        set { records.withLock { $0 = newValue } }
    }
}
