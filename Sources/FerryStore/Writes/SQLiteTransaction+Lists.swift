package import FerryCore
package import Foundation
import GRDB

/// Storing very many transfers that differ in their URLs alone.
extension SQLiteTransaction {
    package func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(TransferError) -> EventRun {
        let template = try TemplateColumns(of: template)
        try connection.prepareForManyPages()
        for group in urls.groups { try insert(group, like: template, first) }
        for special in urls.specials {
            let row = BatchRow(
                id: first.advanced(by: special.place), url: String(decoding: special.reading.bytes, as: UTF8.self),
                origin: special.reading.origin, credentials: special.reading.credentials, folder: template.folder,
                name: nil, data: nil)
            _ = try insert(row, like: template, destination: nil)
        }
        let last = first.advanced(by: urls.count - 1)
        for tag in template.tags where !urls.groups.isEmpty {
            try connection.execute(
                "INSERT OR IGNORE INTO transfer_tags (tag, id) \(Self.eachID) SELECT ?, id FROM ids",
                [first.column, last.column, tag])
        }
        let ids = (0..<urls.count).map(first.advanced)
        let run = EventRun(
            kind: .submitted, session: session, at: moment, first: try lastEventNumber + 1, ids: ids)
        try append(run, newest: keptEvents)
        return run
    }

    private func insert(
        _ group: URLTable.Group, like template: TemplateColumns, _ first: TransferID
    ) throws(TransferError) {
        let urls = String(decoding: group.json, as: UTF8.self)
        try connection.execute(
            """
            INSERT INTO transfers (id, session, priority, origin, created_at, facts, failures, network, line, secrets, \
            revision, \(TemplateColumns.coreNames)) \
            SELECT ? + CAST(key AS INTEGER), ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, \(TemplateColumns.corePlaces) FROM json_each(?)
            """,
            [
                first.column, template.session, template.priority, group.origin, template.createdAt, template.facts,
                template.failures, template.network, template.line, template.hasSecrets,
            ] + StatementArguments(template.core) + [urls])
        let request = template.request.aroundURL()
        try connection.execute(
            """
            INSERT INTO requests (id, request) SELECT ? + CAST(key AS INTEGER), ? || json_quote(value) || ? FROM json_each(?)
            """,
            [first.column, request.before, request.after, urls])
    }

    /// Records the newest of some events of transfers whose ids follow each other.
    private func append(_ run: EventRun, newest: Int) throws(TransferError) {
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

    /// A table of all ids from one to another.
    private static let eachID = """
        WITH RECURSIVE ids (id) AS (SELECT ? UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
        """
}
