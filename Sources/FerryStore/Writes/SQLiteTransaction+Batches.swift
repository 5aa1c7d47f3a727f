package import FerryCore
import Foundation
import GRDB

/// The columns that the rows of many transfers have in common; their JSON is made once.
struct TemplateColumns: Sendable {
    let session: String
    let phase: Int
    let intent: String
    let priority: String
    let attempts: Int
    let createdAt: Int64
    let request: RequestText
    let facts: String
    let failures: String
    let active: String?
    let tags: [String]
    let folder: String
    let line: String?
    let due: Int64?
    let hasSecrets: Bool

    init(_ record: TransferRecord) throws(TransferError) {
        session = record.request.session.name
        phase = JournalPhase(intent: record.intent, outcome: nil).rawValue
        intent = record.intent.rawValue
        priority = record.request.priority.word
        attempts = record.attempts
        createdAt = record.createdAt.journalMilliseconds
        request = try RequestText(record.request)
        facts = try JournalJSON.text(record.facts)
        failures = try TransferColumns.text(record.failures)
        active = record.active == ActiveTime() ? nil : try JournalJSON.text(record.active)
        tags = record.request.tags
        folder = record.request.folder
        line = StoredLine.word(of: record)
        due = record.due?.journalMilliseconds
        hasSecrets = record.hasSecrets
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
            INSERT OR IGNORE INTO transfers (id, session, phase, intent, priority, origin, destination, created_at, \
            attempts, has_partial, facts, failures, active, line, due, secrets) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
            """,
            [
                row.id.column, template.session, template.phase, template.intent, template.priority, row.origin,
                destination, template.createdAt, template.attempts, template.facts(reserving: destination),
                template.failures, template.active, template.line, template.due,
                template.hasSecrets || row.credentials != nil,
            ])
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
