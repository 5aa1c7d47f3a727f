import FerryCore
import FerryStore

extension JournalReader {
    /// What the reader or the transaction of a journal in SQLite works on.
    var connection: JournalConnection {
        guard let reads = self as? any SQLiteReads else { preconditionFailure("This journal is not in SQLite.") }
        return reads.connection
    }
}
