import FerryCore
import GRDB

/// What the requests of one list have in common, stored once: a row of such a request has its URL alone.
///
/// Very many rows that repeat the same folders and trust are most of what a long list writes, and of what a start checks.
struct RequestTemplates {
    let connection: JournalConnection

    /// Brings the templates to rows of `requests`.
    static let join = "LEFT JOIN request_templates USING (template)"
    /// The JSON of a request; NULL where its template is missing.
    static let whole = "iif(template IS NULL, request, head || request || tail)"
    /// The JSON of a request with an empty URL; NULL where it is none.
    static let withoutURL = """
        iif(template IS NULL, iif(json_valid(request), json_set(request, '$.url', ''), NULL), head || '""' || tail)
        """
    /// The URL of a request; NULL where its JSON is none.
    static let url = """
        iif(json_valid(request), iif(template IS NULL, json_extract(request, '$.url'), json_extract(request, '$')), NULL)
        """

    /// Stores what some requests have in common.
    ///
    /// - Parameters:
    ///   - first: the first transfer that may have the template.
    ///   - last: the last one.
    /// - Returns: the template's key.
    func insert(_ request: RequestText, _ first: TransferID, _ last: TransferID) throws(ServiceError) -> Int64 {
        let around = request.aroundURL()
        try connection.execute(
            "INSERT INTO request_templates (head, tail, first, last) VALUES (?, ?, ?, ?)",
            [around.head, around.tail, first.column, last.column])
        return connection.database.lastInsertedRowID
    }

    /// Deletes what no request has any more.
    static func clean(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM request_templates WHERE NOT EXISTS (SELECT 1 FROM requests \
                WHERE requests.id BETWEEN first AND last AND requests.template = request_templates.template)
                """)
    }
}
