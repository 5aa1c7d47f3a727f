package import FerryCore
import FerryRules

/// The rows and events that a batch's transaction stored.
package struct StoredBatch: Sendable {
    /// Events of the submitted transfers: one run for consecutive transfers of a session.
    package private(set) var submitted: [EventRun] = []
    /// Events of the transfers that finished at once.
    package private(set) var ends: [TransferEvent] = []
    /// Items that were not stored because their destination is refused.
    package private(set) var refused: [TransferID: ServiceError] = [:]
    /// Reserved paths of the transfers. Only set if the submitter gets snapshots.
    package private(set) var destinations: [TransferID: String] = [:]
    /// The transfers started with the batch.
    package private(set) var started: HeldStarts.Begun?
    /// Number of the latest durable event in the batch's session.
    package private(set) var lastEvent: Int64 = 0

    /// Transfers that are not queued: they finished at once or were refused.
    package var notWaiting: Set<TransferID> { Set(ends.map(\.id)).union(refused.keys) }

    private init() {}

    /// Stores a batch.
    ///
    /// - Parameters:
    ///   - rows: The shared row values of each template.
    ///   - starts: The held transfers to start in the same transaction.
    ///   - refusesPlaces: If true, items with a refused destination are refused. If false, they are stored as failed.
    ///   - session: The session whose `lastEvent` is read.
    package static func store(
        _ drafts: BatchDrafts, _ rows: [BatchTemplate?], _ starts: HeldStarts?, refusesPlaces: Bool,
        of session: SessionID?, in transaction: any JournalTransaction
    ) throws(ServiceError) -> StoredBatch {
        var stored = StoredBatch()
        try stored.store(drafts, rows, refusesPlaces: refusesPlaces, transaction)
        stored.started = try starts?.begin(in: transaction)
        if let session { stored.lastEvent = try transaction.lastEvent(of: session) }
        return stored
    }

    private mutating func store(
        _ drafts: BatchDrafts, _ rows: [BatchTemplate?], refusesPlaces: Bool, _ transaction: any JournalTransaction
    ) throws(ServiceError) {
        let templates = drafts.templates()
        var ended: [TransferEnd] = []
        var lastTasks: [SessionID: Int] = [:]
        for draft in drafts.items {
            let place = draft.item.template
            guard let template = templates[place], let row = rows[place] else {
                throw ServiceError(.internal, "A template of a batch is missing.")
            }
            switch try Self.store(draft, template, row, transaction) {
            case .waits(let destination):
                if refusesPlaces, let destination { destinations[draft.id] = destination }
            case .ends(.failed(let error)) where refusesPlaces:
                refused[draft.id] = error
                continue
            case .ends(let outcome):
                var record = try drafts.record(draft)
                record.request.file.continues = nil
                let end = TransferEnd(record, outcome, at: drafts.now)
                try transaction.insert(end.record)
                ended.append(end)
            }
            if let task = template.task { lastTasks[template.session] = max(lastTasks[template.session] ?? task, task) }
        }
        for (session, task) in lastTasks { try transaction.noteTask(task, of: session) }
        try noteSubmission(of: drafts, templates, transaction)
        for end in ended { try note(end, transaction) }
    }

    private mutating func noteSubmission(
        of drafts: BatchDrafts, _ templates: [BatchDrafts.Template?], _ transaction: any JournalTransaction
    ) throws(ServiceError) {
        var rest = drafts.items.filter { refused[$0.id] == nil }[...]
        while let first = rest.first, let session = templates[first.item.template]?.session {
            let some = rest.prefix { templates[$0.item.template]?.session == session }
            rest = rest.dropFirst(some.count)
            submitted.append(
                try transaction.appendEvents(
                    kind: .submitted, at: drafts.now, ids: some.map(\.id), session: session))
        }
    }

    private mutating func note(_ end: TransferEnd, _ transaction: any JournalTransaction) throws(ServiceError) {
        let (id, session) = (end.record.id, end.record.request.session)
        let number = try transaction.appendEvent(
            kind: end.kind, at: end.at, id: id, session: session, snapshot: end.snapshot)
        ends.append(
            TransferEvent(
                number: number, kind: end.kind, at: end.at, id: id, session: session, transfer: end.snapshot))
    }

    private enum Stored {
        case waits(destination: String?)
        /// Nothing is stored yet.
        case ends(Outcome)
    }

    /// Stores one transfer, unless it finishes at once.
    private static func store(
        _ draft: BatchDrafts.Draft, _ template: BatchDrafts.Template, _ like: BatchTemplate,
        _ transaction: any JournalTransaction
    ) throws(ServiceError) -> Stored {
        switch draft.place {
        case .success(.skipped(let success)): return .ends(.succeeded(success))
        case .failure(let error): return .ends(.failed(error))
        case .success(.free(let paths)):
            if let record = draft.record {
                try transaction.insert(record)
                return .waits(destination: record.facts.destination)
            }
            var row = draft.row
            if template.isSpooled { row.name = SpoolNames.result(draft.id) }
            for path in paths where try transaction.insert(row, like: like, destination: path) {
                return .waits(destination: path)
            }
            if let path = paths.first {
                let holder = try transaction.destinationHolder(path)
                let verdict = template.rule.verdict(on: path, heldBy: .transfer, holder)
                if case .refuse(let error) = verdict { return .ends(.failed(error)) }
            }
            // All candidates have been reserved meanwhile: the path is chosen at the first response head.
            _ = try transaction.insert(row, like: like, destination: nil)
            return .waits(destination: nil)
        }
    }
}
