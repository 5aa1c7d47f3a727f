package import FerryCore
import GRDB

/// Lists, a page at a time, by index.
extension SQLiteReads {
    /// Reads about as many index entries as the page has rows.
    ///
    /// - Throws: `journal_failed` if a damaged index leads back.
    package func ids(of filter: JournalFilter) throws(TransferError) -> [TransferID] {
        guard filter.limit > 0, filter.only?.isEmpty != true else { return [] }
        // A list of several phases is merged from one ordered list of each, which an index gives without sorting.
        let isEveryPhase = filter.phases.isEmpty || filter.phases.count == JournalPhase.allCases.count
        let phases: [JournalPhase?] = isEveryPhase ? [nil] : filter.phases.sorted { $0.rawValue < $1.rawValue }
        var ids: [TransferID] = []
        for phase in phases {
            let query = PageQuery(filter, phase: phase)
            var last = filter.after?.column
            var advances = true
            try connection.forEachRow(query.sql, query.arguments) { row in
                guard let id = row.integer(0) else { return }
                if let last, filter.newestFirst ? id >= last : id <= last { advances = false }
                last = id
                ids.append(TransferID(column: id))
            }
            try connection.checkAdvance(advances)
        }
        if phases.count > 1 {
            ids.sort { filter.newestFirst ? $0 > $1 : $0 < $1 }
            ids.removeLast(max(0, ids.count - filter.limit))
        }
        return ids
    }
}
