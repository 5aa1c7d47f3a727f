import FerryCore
import FerryQueue
import FerryRules
import Foundation
import GRDB

/// The columns shared by the rows of many transfers. Their JSON is encoded once.
struct TemplateColumns: Sendable {
    let session: String
    let priority: String
    let createdAt: Int64
    let request: RequestText
    let facts: String
    let failures: String
    let tags: [String]
    let folder: String
    let network: String?
    let line: String?
    let hasSecrets: Bool
    /// The values of ``coreNames``.
    let core: [DatabaseValue]
    let coreNames: String
    let corePlaces: String

    init(_ record: TransferRecord) throws(ServiceError) {
        session = record.request.session.name
        priority = record.request.timing.priority.word
        createdAt = record.createdAt.journalMilliseconds
        request = try RequestText(record.request)
        facts = try JournalJSON.text(record.facts)
        failures = try TransferColumns.text(record.failures)
        tags = record.request.tags
        folder = record.request.file.folder
        network = StoredQueueKey.word(of: record.request.transport.network)
        line = StoredQueueKey.word(of: record)
        hasSecrets = record.hasSecrets
        let values = CoreColumns.values(record.core)
        core = values.map(\.value)
        coreNames = values.map(\.name).joined(separator: ", ")
        corePlaces = values.map { _ in "?" }.joined(separator: ", ")
    }
}

/// Inserts many new transfers at a time, each from a template.
struct BatchRows {
    let connection: JournalConnection

    func insert(
        _ row: BatchRow, like template: BatchTemplate, destination: String?
    ) throws(ServiceError) -> Bool {
        try insert(row, like: TemplateColumns(of: template), destination: destination)
    }

    private func insert(
        _ row: BatchRow, like template: TemplateColumns, destination: String?
    ) throws(ServiceError) -> Bool {
        let changed = try connection.execute(
            """
            INSERT OR IGNORE INTO transfers (id, session, priority, origin, destination, created_at, facts, failures, \
            network, line, secrets, revision, \(template.coreNames)) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, \(template.corePlaces))
            """,
            [
                row.id.column, template.session, template.priority, row.origin, destination, template.createdAt,
                template.facts(reserving: destination), template.failures, template.network, template.line,
                template.hasSecrets || row.credentials != nil,
            ] + StatementArguments(template.core))
        guard changed == 1 else { return false }
        let request = template.request.text(url: row.url, folder: row.folder, name: row.name, data: row.data)
        try connection.execute(
            TransferColumns.insertRequest,
            [request, try JournalJSON.text(ifPresent: row.credentials), row.id.column])
        try TransferRows(connection: connection).insert(template.tags, of: row.id)
        return true
    }

    // MARK: Lists of URLs

    func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(ServiceError) -> EventRun {
        let template = try TemplateColumns(of: template)
        try connection.prepareForManyPages()
        let last = first.advanced(by: urls.count - 1)
        // Secrets are deleted with their transfer, so they are never shared.
        let shared =
            template.hasSecrets || urls.groups.isEmpty
            ? nil : try RequestTemplates(connection: connection).insert(template.request, first, last)
        for group in urls.groups { try insert(group, like: template, shared, first) }
        for special in urls.specials {
            let row = BatchRow(
                id: first.advanced(by: special.place), url: String(decoding: special.reading.bytes, as: UTF8.self),
                origin: special.reading.origin, credentials: special.reading.credentials, folder: template.folder,
                name: nil, data: nil)
            _ = try insert(row, like: template, destination: nil)
        }
        for tag in template.tags where !urls.groups.isEmpty {
            try connection.execute(
                "INSERT OR IGNORE INTO transfer_tags (tag, id) \(Self.eachID) SELECT ?, id FROM ids",
                [first.column, last.column, tag])
        }
        let ids = (0..<urls.count).map(first.advanced)
        let run = EventRun(
            kind: .submitted, session: session, at: moment, first: try EventRows(connection: connection).lastNumber + 1,
            ids: ids)
        try append(run, newest: keptEvents)
        return run
    }

    /// - Parameter shared: The stored template of the requests, or `nil` if requests are stored whole.
    private func insert(
        _ group: URLTable.Group, like template: TemplateColumns, _ shared: Int64?, _ first: TransferID
    ) throws(ServiceError) {
        let urls = String(decoding: group.json, as: UTF8.self)
        try connection.execute(
            """
            INSERT INTO transfers (id, session, priority, origin, created_at, facts, failures, network, line, secrets, \
            revision, \(template.coreNames)) \
            SELECT ? + CAST(key AS INTEGER), ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, \(template.corePlaces) FROM json_each(?)
            """,
            [
                first.column, template.session, template.priority, group.origin, template.createdAt, template.facts,
                template.failures, template.network, template.line, template.hasSecrets,
            ] + StatementArguments(template.core) + [urls])
        let around = shared == nil ? template.request.aroundURL() : ("", "")
        try connection.execute(
            """
            INSERT INTO requests (id, request, template) \
            SELECT ? + CAST(key AS INTEGER), ? || json_quote(value) || ?, ? FROM json_each(?)
            """,
            [first.column, around.0, around.1, shared, urls])
    }

    /// Records the newest events of transfers with consecutive ids.
    private func append(_ run: EventRun, newest: Int) throws(ServiceError) {
        guard let first = run.ids.dropFirst(run.ids.count - min(newest, run.ids.count)).first, let last = run.ids.last
        else { return }
        try connection.execute(
            """
            INSERT INTO events (number, session, id, kind, at) \(Self.eachID) SELECT id - ? + ?, ?, id, ?, ? FROM ids
            """,
            [
                first.column, last.column, last.column, run.last, run.session.name, run.kind.rawValue,
                run.at.journalMilliseconds,
            ])
    }

    /// SQL for a table of consecutive ids.
    private static let eachID = """
        WITH RECURSIVE ids (id) AS (SELECT ? UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
        """
}

extension TemplateColumns {
    /// Uses the form that was prepared before the transaction, if it is of this journal's type.
    init(of template: BatchTemplate) throws(ServiceError) {
        if let columns = template.form as? TemplateColumns {
            self = columns
        } else {
            try self.init(template.value)
        }
    }

    /// Returns the facts of a row that reserves a path.
    fileprivate func facts(reserving destination: String?) -> String {
        guard let destination else { return facts }
        var text = String(facts.dropLast())
        if text != "{" { text += "," }
        text += #""destination":"#
        text.appendQuoted(destination)
        return text + "}"
    }
}
