package import FerryCore
package import FerryQueue
import FerryRules
import Foundation
import GRDB

/// A transfer's completion in stored form.
struct EndColumns: Sendable {
    fileprivate let id: TransferID
    fileprivate let session: SessionID
    /// The core that the completion was decided from, with the outcome.
    fileprivate let core: TransferCore
    fileprivate let destination: String?
    fileprivate let former: String?
    fileprivate let placed: String?
    fileprivate let finishedAt: Int64?
    fileprivate let hasSecrets: Bool
    fileprivate let facts: String
    fileprivate let failures: String
    fileprivate let outcome: String?
    fileprivate let snapshot: String
    fileprivate let kind: String
    fileprivate let at: Int64
    /// The request without its secrets. `nil` if it had none and is left unchanged.
    fileprivate let request: String?

    init(_ end: TransferEnd) throws(ServiceError) {
        let record = end.record
        id = record.id
        session = record.request.session
        core = record.core
        destination = TransferColumns.destination(record)
        former = TransferColumns.former(record)
        placed = TransferColumns.placed(record)
        finishedAt = record.finishedAt?.journalMilliseconds
        hasSecrets = record.hasSecrets
        facts = try JournalJSON.text(record.facts)
        failures = try TransferColumns.text(record.failures)
        outcome = try JournalJSON.text(ifPresent: record.outcome)
        snapshot = try JournalJSON.text(Transfer.Short(end.snapshot))
        kind = end.kind.rawValue
        at = end.at.journalMilliseconds
        request = try record.request.secretsForgotten ? JournalJSON.text(record.request) : nil
    }

    /// Uses the form that was prepared before the transaction, if it is of this journal's type.
    init(of end: StoredEnd) throws(ServiceError) {
        if let columns = end.form as? EndColumns {
            self = columns
        } else {
            try self.init(end.value)
        }
    }
}

extension SQLiteTransaction {
    /// Records a transfer's completion and its event. Deletes the secrets of its request and leaves the remaining
    /// request unchanged.
    ///
    /// - Returns: The event's number, or `nil` with nothing changed if there is no such transfer or its row has changed
    ///   since the decision.
    package func finish(_ end: StoredEnd) throws(ServiceError) -> Int64? {
        let end = try EndColumns(of: end)
        let changed = try connection.execute(
            """
            UPDATE transfers SET revision = \(CoreColumns.nextRevision), intent = ?, phase = ?, ended = ?, destination = ?, \
            former = ?, placed = ?, finished_at = ?, due = NULL, retry_at = NULL, retry_delay = NULL, \
            retry_reason = NULL, attempts = ?, restarts = ?, has_partial = ?, secrets_forgotten = ?, facts = ?, \
            failures = ?, retry = NULL, outcome = ?, secrets = ? WHERE id = ? AND revision = ?
            """,
            [
                end.core.intent.rawValue, JournalPhase(end.core).rawValue,
                JournalPhase(ended: end.core.outcome)?.rawValue, end.destination, end.former, end.placed,
                end.finishedAt, end.core.attempts, end.core.restarts, end.core.leavesWork, end.core.secretsForgotten,
                end.facts, end.failures, end.outcome, end.hasSecrets, end.id.column, end.core.revision.number,
            ])
        guard changed == 1 else { return nil }
        if let request = end.request {
            try connection.erasing { () throws(ServiceError) in
                _ = try connection.execute(
                    TransferColumns.updateRequest, [request, nil, end.id.column])
            }
        }
        try connection.execute(
            "INSERT INTO events (session, id, kind, at, snapshot) VALUES (?, ?, ?, ?, ?)",
            [end.session.name, end.id.column, end.kind, end.at, end.snapshot])
        return connection.database.lastInsertedRowID
    }
}
