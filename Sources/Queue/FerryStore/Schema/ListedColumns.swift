import FerryCore
import FerryQueue
import FerryRules
import Foundation

/// The displayed values of a transfer, as columns of a row.
enum ListedColumns {
    /// A column of ``select``.
    private enum Column: Int, SelectedColumn {
        case id, createdAt, session, intent, priority, origin, attempts, finishedAt, retry, outcome
        // Of the request:
        case url, folder, givenName, expectedSize, rateLimit, tags, insecure, method, body, notBefore, network
        case noteApplication, noteIdentifier, noteTask, noteKind, noteData
        // Of the facts:
        case ranges, identity, destination, name, finalURL, startedAt, lengthVerified, redirects, notes, bodySent
        case response, exchanges, startedOver, challenge, cancelReason, bytesSpent

        var expression: String {
            switch self {
            case .url: Self.request("url")
            case .folder: Self.request("folder")
            case .givenName: Self.request("name")
            case .expectedSize: Self.request("expected_size")
            case .rateLimit: Self.request("rate_limit")
            case .tags: Self.request("tags")
            case .insecure: Self.request("insecure")
            case .method: Self.request("method")
            case .body: Self.request("body")
            case .notBefore: Self.request("not_before")
            case .network: Self.request("network")
            case .noteApplication: Self.request("note.application")
            case .noteIdentifier: Self.request("note.identifier")
            case .noteTask: Self.request("note.task")
            case .noteKind: Self.request("note.kind")
            case .noteData: Self.request("note.data")
            case .ranges: Self.facts("ranges")
            case .identity: Self.facts("identity")
            case .destination: Self.facts("destination")
            case .name: Self.facts("name")
            case .finalURL: Self.facts("final_url")
            case .startedAt: Self.facts("started_at")
            case .lengthVerified: Self.facts("length_verified")
            case .redirects: Self.facts("redirects")
            case .notes: Self.facts("notes")
            case .bodySent: Self.facts("body_sent")
            case .response: Self.facts("response")
            case .exchanges: Self.facts("exchanges")
            case .startedOver: Self.facts("started_over")
            case .challenge: Self.facts("challenge")
            case .cancelReason: Self.facts("cancel_reason")
            case .bytesSpent: Self.facts("bytes_spent")
            default: name
            }
        }

        private static func request(_ key: String) -> String {
            "json_extract(\(RequestTemplates.whole), '$.\(key)')"
        }
        private static func facts(_ key: String) -> String { "json_extract(facts, '$.\(key)')" }
    }

    /// Returns the columns from which a displayed field is made. The switch is exhaustive: a new field does not compile
    /// until it is added.
    private static func columns(of field: Transfer.CodingKeys) -> [Column] {
        switch field {
        case .id: [.id]
        case .session: [.session]
        case .url: [.url]
        case .finalURL: [.finalURL]
        case .state: [.intent, .outcome]
        case .reason: [.retry, .network, .origin]
        case .priority: [.priority]
        case .bytesReceived: [.ranges, .outcome]
        case .bytesExpected: [.identity, .expectedSize, .outcome]
        case .destination: [.destination, .outcome]
        case .folder: [.folder]
        case .name: [.name]
        case .givenName: [.givenName]
        case .error: [.retry, .outcome, .cancelReason]
        case .attempts: [.attempts]
        case .nextAttemptAt: [.retry]
        case .createdAt: [.createdAt]
        case .startedAt: [.startedAt]
        case .finishedAt: [.finishedAt]
        case .rateLimit: [.rateLimit]
        case .tags: [.tags]
        case .verified, .mismatched, .unchanged: [.outcome]
        case .lengthVerified: [.lengthVerified, .outcome]
        case .insecure: [.insecure]
        case .etag, .lastModified, .contentType: [.identity]
        case .redirects: [.redirects]
        case .notes: [.notes]
        case .method: [.method]
        case .bytesSent: [.bodySent]
        case .bytesToSend, .direction, .file: [.body]
        case .response: [.response]
        case .exchanges: [.exchanges]
        case .startedOver: [.startedOver]
        case .bytesSpent: [.bytesSpent, .ranges]
        case .challenge: [.challenge]
        case .notBefore: [.notBefore]
        case .note: [.noteApplication, .noteIdentifier, .noteTask, .noteKind, .noteData]
        // Known only while the transfer runs.
        case .bytesPerSecond, .segments: []
        }
    }

    private static let selected: [Column] = {
        let needed = Set(Transfer.CodingKeys.allCases.flatMap(columns))
        return Column.allCases.filter(needed.contains)
    }()

    /// Index of each column in a row, by the column's raw value.
    private static let places = Column.allCases.map { selected.firstIndex(of: $0) }

    /// Excludes rows with invalid JSON.
    static let select = """
        SELECT \(selected.map(\.expression).joined(separator: ", ")) FROM transfers JOIN requests USING (id) \
        \(RequestTemplates.join) WHERE id IN (SELECT value FROM json_each(?)) \
        AND json_valid(\(RequestTemplates.whole)) AND json_valid(facts)
        """

    /// Returns the transfer of a row of ``select``, or `nil` if any part is unreadable.
    static func transfer(
        from row: RowReader, _ networks: inout RepeatedJSON<NetworkPolicy>
    ) -> ListedTransfer? {
        var reader = Reader(row)
        guard let id = reader.integer(.id), let createdAt = reader.date(.createdAt),
            let session = reader.text(.session).flatMap({ try? SessionID($0) }),
            let intent = reader.text(.intent).flatMap(TransferIntent.init),
            let priority = reader.text(.priority).flatMap(Priority.init(word:)), let origin = reader.text(.origin),
            let attempts = reader.integer(.attempts)
        else { return nil }
        guard let request = request(&reader, session, priority, &networks) else { return nil }
        var record = TransferRecord(
            id: TransferID(column: id), createdAt: createdAt, request: request, credentials: nil)
        record.intent = intent
        record.attempts = Int(attempts)
        record.finishedAt = reader.date(.finishedAt)
        record.retry = reader.json(.retry)
        record.outcome = reader.json(.outcome)
        record.facts = facts(&reader)
        record.clampNumbers()
        return reader.isReadable ? ListedTransfer(record: record, origin: origin) : nil
    }

    private static func request(
        _ reader: inout Reader, _ session: SessionID, _ priority: Priority,
        _ networks: inout RepeatedJSON<NetworkPolicy>
    ) -> TransferRequest? {
        guard let url = reader.text(.url), let folder = reader.text(.folder) else { return nil }
        var request = TransferRequest(url: url, folder: folder)
        request.file.name = reader.text(.givenName)
        request.session = session
        request.timing.priority = priority
        request.response.expectedSize = reader.integer(.expectedSize)
        request.transport.rateLimit = reader.integer(.rateLimit) ?? 0
        request.tags = reader.list(.tags)
        request.tls.insecure = reader.integer(.insecure) == 1
        request.method = reader.text(.method) ?? request.method
        request.body = reader.json(.body)
        request.timing.notBefore = reader.date(.notBefore)
        request.transport.network = reader.json(.network, &networks) ?? request.transport.network
        let application = reader.text(.noteApplication)
        let identifier = reader.text(.noteIdentifier)
        let task = reader.integer(.noteTask)
        let kind = reader.text(.noteKind).flatMap(ClientNote.Kind.init)
        let data = reader.text(.noteData)
        if let application, let identifier, let task, let kind, let data {
            request.note = ClientNote(
                application: application, identifier: identifier, task: Int(task), kind: kind, data: data)
        }
        return request
    }

    private static func facts(_ reader: inout Reader) -> TransferFacts {
        var facts = TransferFacts()
        facts.ranges = reader.isEmptyList(.ranges) ? ByteRangeSet() : reader.json(.ranges) ?? ByteRangeSet()
        facts.identity = reader.json(.identity)
        facts.destination = reader.text(.destination)
        facts.name = reader.text(.name)
        facts.finalURL = reader.text(.finalURL)
        facts.startedAt = reader.date(.startedAt)
        facts.lengthVerified = reader.integer(.lengthVerified) != 0
        facts.redirects = reader.list(.redirects)
        facts.notes = reader.list(.notes)
        facts.sending.sent = reader.integer(.bodySent)
        facts.response = reader.json(.response)
        facts.exchanges = reader.json(.exchanges)
        facts.startedOver = reader.integer(.startedOver).map(Int.init)
        facts.challenge = reader.json(.challenge)
        facts.cancelReason = reader.integer(.cancelReason).map(Int.init)
        facts.bytesSpent = reader.integer(.bytesSpent) ?? facts.ranges.byteCount
        return facts
    }

    /// Reads a row's columns by name.
    private struct Reader {
        private let row: RowReader
        private let places = ListedColumns.places
        /// Whether all JSON so far was readable.
        private(set) var isReadable = true

        init(_ row: RowReader) { self.row = row }

        private func place(_ column: Column) -> Int? { places[column.rawValue] }

        func integer(_ column: Column) -> Int64? { place(column).flatMap(row.integer) }
        func text(_ column: Column) -> String? { place(column).flatMap(row.text) }
        func date(_ column: Column) -> Date? { place(column).flatMap(row.date) }

        func isEmptyList(_ column: Column) -> Bool { text(column) == "[]" }

        mutating func list(_ column: Column) -> [String] { isEmptyList(column) ? [] : json(column) ?? [] }

        func json<Value: Decodable>(_ column: Column, _ memory: inout RepeatedJSON<Value>) -> Value? {
            place(column).flatMap { memory.value(row, $0) }
        }

        mutating func json<Value: Decodable>(_ column: Column) -> Value? {
            guard let text = text(column) else { return nil }
            let value = JournalJSON.value(Value.self, text)
            if value == nil { isReadable = false }
            return value
        }
    }
}
