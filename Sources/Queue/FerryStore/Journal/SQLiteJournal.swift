package import FerryCore
package import FerryQueue
package import FerryRules
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
        var attempt = 1
        while true {
            let (result, fault) = await readOnce(isolation: isolation, body)
            if let fault, fault.isDamage, attempt < JournalHealth.damageAttempts {
                attempt += 1
                continue
            }
            if let fault { _ = health.accessFailed(fault) }
            return try result.get()
        }
    }

    /// - Returns: The result, and the failure of the database itself, if there was one.
    private func readOnce<Value: Sendable>(
        isolation: isolated (any Actor)?,
        _ body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async -> (Result<Value, ServiceError>, fault: (any Error)?) {
        await withCheckedContinuation { [database, health, alike] continuation in
            database.asyncRead { access in
                let connection: JournalConnection
                do {
                    connection = JournalConnection(try access.get(), health: health, alike: alike)
                } catch {
                    return continuation.resume(returning: (.failure(health.translate(error)), error))
                }
                let result = Result { () throws(ServiceError) in try body(SQLiteReader(connection: connection)) }
                continuation.resume(returning: (result, connection.fault))
            }
        }
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
