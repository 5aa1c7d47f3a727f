import FerryCore
import FerryEngine

/// Commits a run's facts to the journal and passes them to the service, which shows them while the transfer runs.
struct JournalFacts: FactsJournal {
    let journal: any Journal
    let recorded: @Sendable (TransferFacts) async -> Void
    let whole: @Sendable (_ inMemory: Bool) async -> Void
    let nameChanged: @Sendable () async -> Void

    func record(_ facts: TransferFacts, of id: TransferID) async throws(ServiceError) -> Bool {
        let stored = try journal.prepare(facts)
        let path = facts.destination
        let isRecorded = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            if let path { return try transaction.claimDestination(path, for: id, recording: stored) }
            try transaction.updateFacts(id, stored)
            return true
        }
        if isRecorded { await recorded(facts) }
        return isRecorded
    }

    func record(_ group: [RecordedFacts]) async throws(ServiceError) -> [Bool] {
        var stored: [(id: TransferID, path: String?, facts: StoredFacts)] = []
        for one in group { stored.append((one.id, one.facts.destination, try journal.prepare(one.facts))) }
        let all = stored
        return try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            var recorded: [Bool] = []
            for one in all {
                if let path = one.path {
                    recorded.append(try transaction.claimDestination(path, for: one.id, recording: one.facts))
                } else {
                    recorded.append(try transaction.updateFacts(one.id, one.facts))
                }
            }
            return recorded
        }
    }

    func isWhole(_ id: TransferID, inMemory: Bool) async { await whole(inMemory) }

    func nameChanged(_ id: TransferID) async { await nameChanged() }
}
