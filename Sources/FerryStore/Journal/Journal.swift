// Ferry: FerryStore
// The journal: what must survive the daemon.

package import FerryCore
import GRDB
import Logging
import Synchronization

/// The durable memory of the queue: transfers, events, sessions and settings, in one SQLite file.
///
/// One writer and many readers. What ``commit(_:)`` has returned survives a power cut. The journal decides nothing: it
/// keeps what it is given and finds it again.
package final class Journal: Sendable {
    let database: any DatabaseWriter
    let health: JournalHealth
    private let commits: CommitQueue
    private let changes = Atomic<UInt64>(0)

    init(_ database: any DatabaseWriter, health: JournalHealth, probe: @escaping JournalProbe) {
        self.database = database
        self.health = health
        self.commits = CommitQueue(database, health: health, probe: probe)
    }

    /// Another one after every commit that may have changed transfers that wait in line, and while one is under way.
    ///
    /// As long as it stays the same, what was read of them holds.
    package var revision: UInt64 { changes.load(ordering: .acquiring) }

    /// Runs changes and returns once they are durable.
    ///
    /// Callers that arrive while a transaction is being committed share the next one, in the order of their arrival, which
    /// for those of one actor is that of their calls. A body that throws undoes only its own changes. A cancelled caller's
    /// changes are committed all the same.
    /// - Parameter ofRunning: whether only transfers are changed that run or have left their line; the ``revision`` stays,
    ///   unless the commit fails, since then they may come back to their line.
    /// - Throws: What the body threw; `disk_full` if the disk has no room, which a later call may find mended;
    ///   `journal_failed` if the transaction failed, and from then on for every further call.
    @discardableResult
    package func commit<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, ofRunning: Bool = false,
        _ body: @escaping @Sendable (JournalTransaction) throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        if !ofRunning { changes.add(1, ordering: .acquiringAndReleasing) }
        defer { if !ofRunning { changes.add(1, ordering: .acquiringAndReleasing) } }
        let result: Result<Value, TransferError> = await withCheckedContinuation { continuation in
            commits.add(
                PendingCommit(
                    perform: { transaction in
                        do throws(TransferError) {
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

    /// Reads one consistent state: that of the last commit before the call or a later one.
    ///
    /// Readers neither wait for the writer nor hold it up.
    package func read<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (JournalReader) throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        let result: Result<Value, TransferError> = await withCheckedContinuation { [health] continuation in
            database.asyncRead { access in
                do {
                    let connection = JournalConnection(try access.get(), health: health)
                    continuation.resume(returning: .success(try body(JournalReader(connection: connection))))
                } catch {
                    continuation.resume(returning: .failure(health.translate(error)))
                }
            }
        }
        return try result.get()
    }

    /// Lets the running commits finish, moves the write-ahead log into the journal's file and closes it.
    ///
    /// Closing twice does nothing; every commit and read after it fails.
    package func close() async {
        guard commits.close() else { return }
        repeat { await onWriter { _ in } } while commits.isDraining
        await onWriter { [health] connection in
            do {
                if !health.isInMemory { _ = try connection.checkpoint(.truncate) }
            } catch {
                // Everything is durable in the log too; the next start reads it from there.
                health.logger.warning("The journal's log stays: the checkpoint at the end failed.", error: error)
            }
        }
        do {
            // SQLite removes its log when the connection that is closed last can write.
            (database as? DatabasePool)?.invalidateReadOnlyConnections()
            try database.close()
        } catch {
            health.logger.warning("The journal was not closed cleanly.", error: error)
        }
    }

    /// Runs work in the writer's queue, after all that is in it.
    private func onWriter(_ work: @escaping @Sendable (Database) -> Void) async {
        await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { connection in
                work(connection)
                continuation.resume()
            }
        }
    }
}
