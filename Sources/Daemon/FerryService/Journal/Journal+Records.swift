import FerryCore
import FerryQueue
import FerryRules

extension Journal {
    /// Returns the records of transfers. Those that do not exist are omitted.
    func records(
        of ids: [TransferID], isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> [TransferRecord] {
        guard !ids.isEmpty else { return [] }
        return try await read { reader throws(ServiceError) in try reader.records(ids) }
    }

    /// Returns the record of a transfer.
    ///
    /// - Throws: ``ServiceError`` with code `unknown_transfer`.
    func existing(
        _ id: TransferID, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> TransferRecord {
        guard let record = try await read({ reader throws(ServiceError) in try reader.record(id) }) else {
            throw ServiceError(.unknownTransfer, "There is no transfer \(id).")
        }
        return record
    }

    /// Stores the complete record of a transfer after an attempt.
    ///
    /// - Returns: False, with nothing stored, if the transfer has changed since it was read.
    func store(
        _ record: TransferRecord, isolation: isolated (any Actor)? = #isolation
    ) async throws(ServiceError) -> Bool {
        try await commit { transaction throws(ServiceError) in try transaction.update(record) }
    }

    /// Prepares outcomes for their transaction.
    ///
    /// Runs on no actor, since the outcomes may be many.
    func prepare(_ ends: [TransferEnd]) async -> [Result<StoredEnd, ServiceError>] {
        ends.map { end in Result { () throws(ServiceError) in try prepare(end) } }
    }
}
