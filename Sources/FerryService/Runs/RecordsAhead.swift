import FerryCore

/// Records that were read before their transfers got a slot; they hold as long as the journal's revision stays.
///
/// An end leaves the revision as it is, so it is named here: a record from before it is never taken.
struct RecordsAhead {
    private var records: [TransferID: TransferRecord] = [:]
    private var revision: UInt64 = 0
    private var reading: Reading?

    /// Records that are being read.
    private struct Reading {
        let revision: UInt64
        /// Transfers that have ended since the reading began.
        var ended: Set<TransferID> = []
    }

    /// - Parameter revision: the journal's, before the records are read.
    mutating func beginReading(at revision: UInt64) { reading = Reading(revision: revision) }

    /// Keeps what was read since `beginReading`, in place of what was read before.
    mutating func endReading(_ records: [TransferID: TransferRecord]) {
        guard let reading else { return }
        self.records = records.filter { !reading.ended.contains($0.key) }
        revision = reading.revision
        self.reading = nil
    }

    /// Ends a reading that has failed.
    mutating func abandonReading() { reading = nil }

    /// Notes that a transfer has ended.
    mutating func forget(_ id: TransferID) {
        records[id] = nil
        reading?.ended.insert(id)
    }

    /// Takes a record out; nil if it was not read, or may have been changed since.
    mutating func take(_ id: TransferID, revision: UInt64) -> TransferRecord? {
        guard revision == self.revision else {
            records = [:]
            return nil
        }
        return records.removeValue(forKey: id)
    }
}
