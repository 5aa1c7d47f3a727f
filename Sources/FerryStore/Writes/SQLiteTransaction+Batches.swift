package import FerryCore
import Foundation
import GRDB

/// The columns that the rows of many transfers have in common; their JSON is made once.
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
    /// As ``CoreColumns`` names them.
    let core: [DatabaseValue]

    static let coreNames = CoreColumns.names.joined(separator: ", ")
    static let corePlaces = CoreColumns.names.map { _ in "?" }.joined(separator: ", ")

    init(_ record: TransferRecord) throws(TransferError) {
        session = record.request.session.name
        priority = record.request.priority.word
        createdAt = record.createdAt.journalMilliseconds
        request = try RequestText(record.request)
        facts = try JournalJSON.text(record.facts)
        failures = try TransferColumns.text(record.failures)
        tags = record.request.tags
        folder = record.request.folder
        network = StoredLine.word(of: record.request.network)
        line = StoredLine.word(of: record)
        hasSecrets = record.hasSecrets
        core = CoreColumns.arguments(record.core).map { $0?.databaseValue ?? .null }
    }
}

extension SQLiteTransaction {
    package func insert(
        _ row: BatchRow, like template: BatchTemplate, destination: String?
    ) throws(TransferError) -> Bool {
        try insert(row, like: TemplateColumns(of: template), destination: destination)
    }

    func insert(
        _ row: BatchRow, like template: TemplateColumns, destination: String?
    ) throws(TransferError) -> Bool {
        let changed = try connection.execute(
            """
            INSERT OR IGNORE INTO transfers (id, session, priority, origin, destination, created_at, facts, failures, \
            network, line, secrets, revision, \(TemplateColumns.coreNames)) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, \(TemplateColumns.corePlaces))
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
        try insert(template.tags, of: row.id)
        return true
    }
}

extension TemplateColumns {
    /// What was made before the transaction, if this kind of journal made it.
    init(of template: BatchTemplate) throws(TransferError) {
        if let columns = template.form as? TemplateColumns {
            self = columns
        } else {
            try self.init(template.value)
        }
    }

    /// The facts of a row that reserves a path.
    fileprivate func facts(reserving destination: String?) -> String {
        guard let destination else { return facts }
        var text = String(facts.dropLast())
        if text != "{" { text += "," }
        text += #""destination":"#
        text.appendQuoted(destination)
        return text + "}"
    }
}
