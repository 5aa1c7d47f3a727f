import FerryCore
import GRDB

/// The shared part of a list's requests, stored once. The row of such a request holds only its URL.
///
/// Repeated folders and trust settings would otherwise be most of the bytes that a long list writes and that a start
/// checks.
struct RequestTemplates {
    let connection: JournalConnection

    /// Joins the templates to rows of `requests`.
    static let join = "LEFT JOIN request_templates USING (template)"
    /// SQL for the JSON of a request. NULL if its template is missing.
    static let whole = "iif(template IS NULL, request, head || request || tail)"
    /// SQL for the JSON of a request with an empty URL. NULL if it is invalid.
    static let withoutURL = """
        iif(template IS NULL, iif(json_valid(request), json_set(request, '$.url', ''), NULL), head || '""' || tail)
        """
    /// SQL for the URL of a request. NULL if its JSON is invalid.
    static let url = """
        iif(json_valid(request), iif(template IS NULL, json_extract(request, '$.url'), json_extract(request, '$')), NULL)
        """

    /// Stores the shared part of requests.
    ///
    /// - Parameters:
    ///   - first: The first transfer that may use the template.
    ///   - last: The last one.
    /// - Returns: The template's key.
    func insert(_ request: RequestText, _ first: TransferID, _ last: TransferID) throws(ServiceError) -> Int64 {
        let around = request.aroundURL()
        try connection.execute(
            "INSERT INTO request_templates (head, tail, first, last) VALUES (?, ?, ?, ?)",
            [around.head, around.tail, first.column, last.column])
        return connection.database.lastInsertedRowID
    }

    /// Deletes templates that no request uses.
    static func clean(_ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM request_templates WHERE NOT EXISTS (SELECT 1 FROM requests \
                WHERE requests.id BETWEEN first AND last AND requests.template = request_templates.template)
                """)
    }
}
