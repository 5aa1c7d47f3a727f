import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Commits a run's facts to the journal and passes them to the queue, which shows them while the transfer runs.
struct JournalFacts: FactsJournal {
    let journal: any Journal
    weak let queue: LiveQueue?

    func record(
        _ facts: TransferFacts, of id: TransferID, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Bool {
        let stored = try journal.prepare(facts)
        let path = facts.destination
        let isRecorded = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
            if let path { return try transaction.claimDestination(path, for: id, recording: stored) }
            try transaction.updateFacts(id, stored)
            return true
        }
        if isRecorded { await queue?.recorded(facts, of: id) }
        return isRecorded
    }

    func record(
        _ group: [RecordedFacts], isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> [Bool] {
        let all = try await prepare(group)
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

    /// Prepares facts for their transaction, on no actor.
    private func prepare(
        _ group: [RecordedFacts]
    ) async throws(ServiceError) -> [(id: TransferID, path: String?, facts: StoredFacts)] {
        var stored: [(id: TransferID, path: String?, facts: StoredFacts)] = []
        for one in group { stored.append((one.id, one.facts.destination, try journal.prepare(one.facts))) }
        return stored
    }

    func isWhole(_ id: TransferID, inMemory: Bool, isolation: isolated (any Actor)?) async {
        await queue?.leaveHost(id, inMemory: inMemory)
    }

    func nameChanged(_ id: TransferID, isolation: isolated (any Actor)?) async { await queue?.nameChanged(of: id) }
}
