// Ferry: FerryService
// The engine's facts, in the journal.

import FerryCore
import FerryEngine
import FerryStore

/// Makes a run's facts durable in the journal.
struct JournalFacts: FactsJournal {
    let journal: Journal

    func record(_ facts: TransferFacts, of id: TransferID) async throws(TransferError) -> Bool {
        try await journal.commit { transaction throws(TransferError) in
            if let path = facts.destination {
                guard try transaction.claimDestination(path, for: id) else { return false }
            }
            try transaction.updateFacts(id, facts)
            return true
        }
    }
}
