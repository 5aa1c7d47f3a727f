package import FerryCore
import GRDB
import Logging
import Synchronization

/// The journal in one SQLite file. Returned commits survive a power cut.
package final class SQLiteJournal: Journal {
    let database: any DatabaseWriter
    let health: JournalHealth
    private let commits: CommitQueue
    private let changes = Atomic<UInt64>(0)
    private let alike = AlikeMemory()

    init(_ database: any DatabaseWriter, health: JournalHealth, probe: @escaping JournalProbe) {
        self.database = database
        self.health = health
        self.commits = CommitQueue(database, health: health, probe: probe)
    }

    package var revision: UInt64 { changes.load(ordering: .acquiring) }

    /// Callers that arrive while a transaction is being committed share the next one.
    package func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        if !ofRunning { changes.add(1, ordering: .acquiringAndReleasing) }
        defer { if !ofRunning { changes.add(1, ordering: .acquiringAndReleasing) } }
        let result: Result<Value, ServiceError> = await withCheckedContinuation { continuation in
            commits.add(
                PendingCommit(
                    perform: { transaction in
                        do throws(ServiceError) {
                            let value = try body(transaction)
                            return PendingCommit.Performed(isKept: true) {
                                continuation.resume(returning: .success(value))
                            }
                        } catch {
                            return PendingCommit.Performed(isKept: false) {
                                continuation.resume(returning: .failure(error))
                            }
                        }
                    },
                    fail: { error in continuation.resume(returning: .failure(error)) }))
        }
        if ofRunning, case .failure = result { changes.add(1, ordering: .acquiringAndReleasing) }
        return try result.get()
    }

    package func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        // GRDB terminates the process when a closed in-memory database is read.
        guard !commits.isClosed else { throw CommitQueue.closed }
        let result: Result<Value, ServiceError> = await withCheckedContinuation { [health, alike] continuation in
            database.asyncRead { access in
                do {
                    let connection = JournalConnection(try access.get(), health: health, alike: alike)
                    continuation.resume(returning: .success(try body(SQLiteReader(connection: connection))))
                } catch {
                    continuation.resume(returning: .failure(health.translate(error)))
                }
            }
        }
        return try result.get()
    }

    /// Completes the running commits, checkpoints the write-ahead log and closes the journal.
    package func close() async {
        guard commits.close() else { return }
        repeat { await onWriter { _ in } } while commits.isDraining
        await onWriter { [health] connection in
            do {
                if !health.isInMemory { _ = try connection.checkpoint(.truncate) }
            } catch {
                // Everything is durable in the log too. The next start reads it from there.
                health.logger.warning("The journal's log stays: the checkpoint at the end failed.", error: error)
            }
        }
        do {
            // SQLite removes its log only if the last connection to close can write.
            (database as? DatabasePool)?.invalidateReadOnlyConnections()
            try database.close()
        } catch {
            health.logger.warning("The journal was not closed cleanly.", error: error)
        }
    }

    // MARK: Preparation

    package func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts {
        StoredFacts(facts, form: try FactsColumns(facts))
    }

    package func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd {
        StoredEnd(end, form: try EndColumns(end))
    }

    package func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate {
        BatchTemplate(template, form: try TemplateColumns(template))
    }

    /// Runs work on the writer's queue, after everything already enqueued.
    private func onWriter(_ work: @escaping @Sendable (Database) -> Void) async {
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { connection in
                work(connection)
                continuation.resume()
            }
        }
    }
}
