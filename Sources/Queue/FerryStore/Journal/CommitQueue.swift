import FerryCore
import GRDB
import Logging
import Synchronization

/// Collects callers waiting for the writer and commits them together.
///
/// A commit costs one disk sync regardless of its size. Sharing it makes thousands of small transfers fast.
final class CommitQueue: Sendable {
    private struct State {
        var waiting: [PendingCommit] = []
        var isDraining = false
        var isClosed = false
    }

    private let database: any DatabaseWriter
    private let health: JournalHealth
    private let probe: JournalProbe
    private let state = Mutex(State())

    init(_ database: any DatabaseWriter, health: JournalHealth, probe: @escaping JournalProbe) {
        self.database = database
        self.health = health
        self.probe = probe
    }

    /// Enqueues a commit, or fails it immediately if nothing can be committed.
    func add(_ commit: PendingCommit) {
        if let failure = health.failure { return commit.fail(failure) }
        let (isClosed, startsDraining) = state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.waiting.append(commit)
            defer { state.isDraining = true }
            return (false, !state.isDraining)
        }
        guard !isClosed else { return commit.fail(Self.closed) }
        _ = probe(.queued)
        if startsDraining {
            database.asyncWriteWithoutTransaction { [self] connection in drain(connection) }
        }
    }

    /// Whether all further commits are refused.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    static var closed: ServiceError { ServiceError(.journalFailed, "The journal is closed.") }

    /// Refuses all further commits.
    ///
    /// - Returns: False if the queue is already closed.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Whether commits are waiting or being made.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Commits the waiting batch. If more commits have arrived, enqueues itself on the writer again, so that readers of
    /// an in-memory journal run in between.
    private func drain(_ connection: Database) {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        // The journal failed while these commits were waiting.
        if let failure = health.failure {
            for commit in batch { commit.fail(failure) }
        } else {
            commit(batch, on: connection)
        }
        let goesOn = state.withLock { state in
            state.isDraining = !state.waiting.isEmpty
            return state.isDraining
        }
        if goesOn { database.asyncWriteWithoutTransaction { [self] connection in drain(connection) } }
    }

    private func commit(_ batch: [PendingCommit], on database: Database) {
        var log = LogCare.asUsual
        defer { take(log, of: database) }
        var attempt = 1
        while true {
            var isCommitting = false
            do {
                try reach(.begins(bodies: batch.count))
                let performed = try perform(batch, on: database, &log)
                try reach(.commits(bodies: batch.count))
                isCommitting = true
                try database.commit()
                for one in performed { one.notify() }
                return
            } catch {
                // SQLite may have rolled back by itself (disk full, I/O error).
                if database.isInsideTransaction { try? database.rollback() }
                if error.isDamage, !isCommitting, attempt < JournalHealth.damageAttempts {
                    attempt += 1
                    continue
                }
                let failure = health.writeFailed(error)
                for commit in batch { commit.fail(failure) }
                return
            }
        }
    }

    /// Runs all bodies in one transaction and leaves it open.
    ///
    /// Nearly always, the changes of all bodies are kept. A savepoint per body would copy every page it changes, to a
    /// file if there are more than a few. Only a batch with a failed body is run again, with savepoints.
    ///
    /// - Throws: Errors that invalidate the whole transaction, never an error of a body.
    private func perform(
        _ batch: [PendingCommit], on database: Database, _ log: inout LogCare
    ) throws -> [PendingCommit.Performed] {
        try database.beginTransaction(.immediate)
        let performed = try batch.map { try run($0, on: database, &log) }
        if performed.allSatisfy(\.isKept) { return performed }
        try database.rollback()
        try database.beginTransaction(.immediate)
        // A body that ran alone cannot have failed because of another body's changes.
        guard batch.count > 1 else { return performed }
        return try batch.map { commit in
            try database.cachedStatement(sql: "SAVEPOINT body").execute()
            let performed = try run(commit, on: database, &log)
            if !performed.isKept { try database.cachedStatement(sql: "ROLLBACK TO body").execute() }
            try database.cachedStatement(sql: "RELEASE body").execute()
            return performed
        }
    }

    private func run(
        _ commit: PendingCommit, on database: Database, _ log: inout LogCare
    ) throws -> PendingCommit.Performed {
        let connection = JournalConnection(database, health: health)
        defer {
            log = max(log, connection.hasManyPages ? .empty : connection.defersCheckpoint ? .checkpoint : .asUsual)
        }
        let performed = commit.perform(SQLiteTransaction(connection: connection))
        // A body may have swallowed a disk failure. The transaction is lost all the same.
        if let fault = connection.fault { throw fault }
        return performed
    }

    /// How the write-ahead log is handled after a commit.
    private enum LogCare: Int, Comparable {
        /// SQLite checkpoints the log when it is long.
        case asUsual
        case checkpoint
        case empty

        static func < (left: LogCare, right: LogCare) -> Bool { left.rawValue < right.rawValue }
    }

    /// Checkpoints a long log, so that the next start has little to read. All callers have been resumed before, so none
    /// waits for it.
    private func take(_ care: LogCare, of database: Database) {
        guard care != .asUsual else { return }
        do {
            try database.execute(sql: JournalSchema.usualPages)
            if !health.isInMemory { _ = try database.checkpoint(care == .empty ? .truncate : .passive) }
        } catch {
            // Everything is durable in the log too. A later commit checkpoints it.
            health.logger.warning("The journal's log stays for now.", error: error)
        }
    }

    private func reach(_ step: JournalStep) throws {
        if let code = probe(step) { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}

/// One caller's share of a future transaction.
struct PendingCommit: Sendable {
    /// The result of a body, and how to report it once it is durable.
    struct Performed: Sendable {
        /// Whether the body's changes are kept. A body that threw is rolled back.
        let isKept: Bool
        let notify: @Sendable () -> Void
    }

    /// Makes the changes. Called again if the transaction is rolled back and rerun.
    let perform: @Sendable (SQLiteTransaction) -> Performed
    /// Reports to the caller that nothing was committed. Called instead of the `notify` that ``perform`` returned, never
    /// in addition.
    let fail: @Sendable (ServiceError) -> Void
}

/// A step of the group commit.
enum JournalStep: Hashable, Sendable {
    /// A body is waiting for its transaction.
    case queued
    /// A transaction with this many bodies is about to begin.
    case begins(bodies: Int)
    /// All bodies ran. The transaction is about to be committed.
    case commits(bodies: Int)
}

/// Called with every step. A returned SQLite result code makes the transaction fail with that code.
typealias JournalProbe = @Sendable (JournalStep) -> Int32?
