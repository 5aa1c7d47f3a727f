// Ferry: FerryStore
// What readers and transactions have in common.

import FerryCore

/// What can be read from the journal, in a reader's snapshot as in a transaction (which sees its own changes).
package protocol JournalReads {
    var connection: JournalConnection { get }
}

/// One consistent state of the journal.
package struct JournalReader: JournalReads {
    package let connection: JournalConnection
}
