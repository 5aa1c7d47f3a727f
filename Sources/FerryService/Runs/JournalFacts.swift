// Ferry: FerryService
// The engine's facts, in the journal.

import FerryCore
import FerryEngine
import FerryStore

/// Makes a run's facts durable in the journal, and shows them to those who look at what runs.
struct JournalFacts: FactsJournal {
    let journal: Journal
    let recorded: @Sendable (TransferFacts) async -> Void
    let whole: @Sendable () async -> Void

    func record(_ facts: TransferFacts, of id: TransferID) async throws(TransferError) -> Bool {
        let stored = try StoredFacts(facts)
        let path = facts.destination
        let isRecorded = try await journal.commit { transaction throws(TransferError) in
            if let path {
                guard try transaction.claimDestination(path, for: id) else { return false }
            }
            try transaction.updateFacts(id, stored)
            return true
        }
        if isRecorded { await recorded(facts) }
        return isRecorded
    }

    func isWhole(_ id: TransferID) async { await whole() }
}
