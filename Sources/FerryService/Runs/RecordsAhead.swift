// Ferry: FerryService
// Records of transfers that are about to start.

import FerryCore

/// Records that were read before their transfers got a slot; they hold as long as the journal's revision stays.
struct RecordsAhead {
    private var records: [TransferID: TransferRecord] = [:]
    private var revision: UInt64 = 0

    init() {}

    /// - Parameter revision: the journal's, before they were read.
    init(_ records: [TransferID: TransferRecord], revision: UInt64) {
        self.records = records
        self.revision = revision
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
