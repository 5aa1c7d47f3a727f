import FerryCore
import FerryQueue
import FerryRules

/// The service's journal. The first call that fails with `journal_failed` ends the service, which must not run without a
/// journal.
final class WatchedJournal: Journal {
    private let journal: any Journal
    private let life: ServiceLife

    init(_ journal: any Journal, of life: ServiceLife) {
        self.journal = journal
        self.life = life
    }

    var revision: UInt64 { journal.revision }

    func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try await journal.commit(ofRunning: ofRunning, isolation: isolation, body: body)
        } catch {
            life.note(error)
            throw error
        }
    }

    func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try await journal.read(isolation: isolation, body: body)
        } catch {
            life.note(error)
            throw error
        }
    }

    func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts { try journal.prepare(facts) }
    func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd { try journal.prepare(end) }
    func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate { try journal.prepare(template) }

    func reclaim() async -> Bool { await journal.reclaim() }
    func releaseMemory() async { await journal.releaseMemory() }

    func close() async {
        life.closesJournal()
        await journal.close()
    }
}
