package import FerryCore

/// What a reader's snapshot and a transaction have in common: statements that read.
package protocol SQLiteReads: JournalReader {
    var connection: JournalConnection { get }
}

/// One consistent state of the journal.
package struct SQLiteReader: SQLiteReads {
    package let connection: JournalConnection
}
