package import FerryCore
package import FerryQueue
package import FerryRules
package import FerryStore
package import Foundation

/// Each call is one read.
extension Journal {
    package func counts(_ session: SessionID? = nil) async throws(ServiceError) -> [JournalPhase: Int] {
        try await read { reader throws(ServiceError) in try reader.counts(session: session) }
    }

    package func page(_ filter: JournalFilter = JournalFilter()) async throws(ServiceError) -> [TransferRecord] {
        try await read { reader throws(ServiceError) in try reader.page(filter) }
    }

    package func record(_ id: TransferID) async throws(ServiceError) -> TransferRecord? {
        try await read { reader throws(ServiceError) in try reader.record(id) }
    }

    package func lastTransferID() async throws(ServiceError) -> TransferID? {
        try await read { reader throws(ServiceError) in try reader.lastTransferID }
    }
}

extension JournalTransaction {
    package func begin(
        _ ids: [TransferID], of session: SessionID, delayed: [TransferID], gone: [TransferID: Outcome] = [:],
        at moment: ActiveTime.Instant
    ) throws(ServiceError) -> BegunTransfers {
        var circumstances = BulkCommandSituation(moment)
        circumstances.delayed = Set(delayed)
        return try begin(ids, of: session, circumstances, gone: gone)
    }

    /// Stores another intent.
    @discardableResult
    package func setIntent(_ id: TransferID, _ intent: TransferIntent) throws(ServiceError) -> Bool {
        guard var record = try record(id) else { return false }
        record.intent = intent
        return try update(record)
    }

    /// Stores a transfer's outcome.
    @discardableResult
    package func finish(_ id: TransferID, outcome: Outcome, at: Date, facts: TransferFacts) throws(ServiceError) -> Bool
    {
        guard var record = try record(id) else { return false }
        record.outcome = outcome
        record.finishedAt = at
        record.facts = facts
        record.retry = nil
        return try update(record)
    }
}

extension JournalReader {
    /// The SQLite connection of a journal's reader or transaction.
    package var connection: JournalConnection {
        guard let reads = self as? any SQLiteReads else { preconditionFailure("This journal is not in SQLite.") }
        return reads.connection
    }
}
