// Ferry: FerryService
// The engine's facts, in the journal.

import FerryCore
import FerryEngine
import FerryStore

/// Makes a run's facts durable in the journal, and shows them to those who look at what runs.
struct JournalFacts: FactsJournal {
    let journal: Journal
    let recorded: @Sendable (TransferFacts) async -> Void

    func record(_ facts: TransferFacts, of id: TransferID) async throws(TransferError) -> Bool {
        let isRecorded = try await journal.commit { transaction throws(TransferError) in
            if let path = facts.destination {
                guard try transaction.claimDestination(path, for: id) else { return false }
            }
            try transaction.updateFacts(id, facts)
            return true
        }
        if isRecorded { await recorded(facts) }
        return isRecorded
    }
}
