// Ferry: FerryStore
// What is shown of a transfer, as the columns of a row.

import FerryCore
import Foundation

/// What is shown of a transfer, as the columns of a row.
enum ListedColumns {
    private static let columns = [
        "id", "created_at", "session", "intent", "priority", "origin", "attempts", "finished_at", "retry", "outcome",
    ]
    private static let ofRequest = [
        "url", "folder", "expected_size", "rate_limit", "tags", "insecure", "method", "body", "not_before", "network",
        "note.application", "note.identifier", "note.task", "note.kind", "note.data",
    ]
    private static let ofFacts = [
        "ranges", "identity", "destination", "name", "final_url", "started_at", "length_verified", "redirects",
        "notes", "body_sent", "response", "exchanges", "started_over", "challenge", "cancel_reason",
        "bytes_spent",
    ]

    /// Leaves out rows whose JSON is none.
    static let select = """
        SELECT \((columns + ofRequest.map { "json_extract(request, '$.\($0)')" } + ofFacts.map {
            "json_extract(facts, '$.\($0)')"
        }).joined(separator: ", ")) FROM transfers JOIN requests USING (id) \
        WHERE id IN (SELECT value FROM json_each(?)) AND json_valid(request) AND json_valid(facts)
        """

    /// The transfer of a row of ``select``; nil if something in it cannot be read.
    static func transfer(
        from row: RowReader, _ networks: inout RepeatedJSON<NetworkPolicy>
    ) -> ListedTransfer? {
        var reader = Reader(row)
        guard let id = reader.integer(), let createdAt = reader.date(),
            let session = reader.text().flatMap({ try? SessionID($0) }),
            let intent = reader.text().flatMap(TransferIntent.init),
            let priority = reader.text().flatMap(Priority.init(word:)), let origin = reader.text(),
            let attempts = reader.integer()
        else { return nil }
        let finishedAt = reader.date()
        let retry: RetryPlan? = reader.json()
        let outcome: Outcome? = reader.json()
        guard let request = request(&reader, session, priority, &networks) else { return nil }
        var record = TransferRecord(
            id: TransferID(column: id), createdAt: createdAt, request: request, credentials: nil)
        record.intent = intent
        record.attempts = Int(attempts)
        record.finishedAt = finishedAt
        record.retry = retry
        record.outcome = outcome
        record.facts = facts(&reader)
        record.clampNumbers()
        return reader.isReadable ? ListedTransfer(record: record, origin: origin) : nil
    }

    private static func request(
        _ reader: inout Reader, _ session: SessionID, _ priority: Priority,
        _ networks: inout RepeatedJSON<NetworkPolicy>
    ) -> TransferRequest? {
        guard let url = reader.text(), let folder = reader.text() else { return nil }
        var request = TransferRequest(url: url, folder: folder)
        request.session = session
        request.priority = priority
        request.expectedSize = reader.integer()
        request.rateLimit = reader.integer() ?? 0
        request.tags = reader.list()
        request.insecure = reader.integer() == 1
        request.method = reader.text() ?? request.method
        request.body = reader.json()
        request.notBefore = reader.date()
        request.network = reader.json(&networks) ?? request.network
        let application = reader.text()
        let identifier = reader.text()
        let task = reader.integer()
        let kind = reader.text().flatMap(ClientNote.Kind.init)
        let data = reader.text()
        if let application, let identifier, let task, let kind, let data {
            request.note = ClientNote(
                application: application, identifier: identifier, task: Int(task), kind: kind, data: data)
        }
        return request
    }

    private static func facts(_ reader: inout Reader) -> TransferFacts {
        var facts = TransferFacts()
        facts.ranges = reader.isEmptyList ? ByteRangeSet() : reader.json() ?? ByteRangeSet()
        facts.identity = reader.json()
        facts.destination = reader.text()
        facts.name = reader.text()
        facts.finalURL = reader.text()
        facts.startedAt = reader.date()
        facts.lengthVerified = reader.integer() != 0
        facts.redirects = reader.list()
        facts.notes = reader.list()
        facts.bodySent = reader.integer()
        facts.response = reader.json()
        facts.exchanges = reader.json()
        facts.startedOver = reader.integer().map(Int.init)
        facts.challenge = reader.json()
        facts.cancelReason = reader.integer().map(Int.init)
        facts.bytesSpent = reader.integer() ?? facts.ranges.byteCount
        return facts
    }

    /// Reads one column after the other.
    private struct Reader {
        private let row: RowReader
        private var column = 0
        /// Whether all JSON so far could be read.
        private(set) var isReadable = true

        init(_ row: RowReader) { self.row = row }

        private mutating func next() -> Int {
            defer { column += 1 }
            return column
        }

        mutating func integer() -> Int64? { row.integer(next()) }
        mutating func text() -> String? { row.text(next()) }
        mutating func date() -> Date? { row.date(next()) }

        /// Whether the next column is a list without elements; takes it if so.
        var isEmptyList: Bool {
            mutating get {
                guard row.text(column) == "[]" else { return false }
                column += 1
                return true
            }
        }

        mutating func list() -> [String] { isEmptyList ? [] : json() ?? [] }

        mutating func json<Value: Decodable>(_ memory: inout RepeatedJSON<Value>) -> Value? {
            memory.value(row, next())
        }

        mutating func json<Value: Decodable>() -> Value? {
            let column = next()
            guard let text = row.text(column) else { return nil }
            let value = JournalJSON.value(Value.self, text)
            if value == nil { isReadable = false }
            return value
        }
    }
}
