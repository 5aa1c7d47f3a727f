import FerryCore
import FerryRules

/// Records read before their transfers got a slot. They are valid while the journal's revision is unchanged.
///
/// Completions do not change the revision and are recorded here instead, so that no record from before one is used.
struct RecordsAhead {
    private var records: [TransferID: TransferRecord] = [:]
    private var revision: UInt64 = 0
    private var reading: Reading?

    /// A read in progress.
    private struct Reading {
        let revision: UInt64
        /// Transfers that finished since the read started.
        var ended: Set<TransferID> = []
    }

    /// - Parameter revision: The journal's revision before the records are read.
    mutating func beginReading(at revision: UInt64) { reading = Reading(revision: revision) }

    /// Replaces the kept records with the ones read since `beginReading`.
    mutating func endReading(_ records: [TransferID: TransferRecord]) {
        guard let reading else { return }
        self.records = records.filter { !reading.ended.contains($0.key) }
        revision = reading.revision
        self.reading = nil
    }

    /// Ends a failed read.
    mutating func abandonReading() { reading = nil }

    /// Discards the record of a transfer that finished.
    mutating func forget(_ id: TransferID) {
        records[id] = nil
        reading?.ended.insert(id)
    }

    /// Removes and returns a record, or `nil` if it was not read or may have changed since.
    mutating func take(_ id: TransferID, revision: UInt64) -> TransferRecord? {
        guard revision == self.revision else {
            records = [:]
            return nil
        }
        return records.removeValue(forKey: id)
    }
}
