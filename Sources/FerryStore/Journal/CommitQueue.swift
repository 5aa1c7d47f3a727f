import FerryCore
import GRDB
import Logging
import Synchronization

/// Gathers the callers that wait for the writer and commits them together.
///
/// A commit costs one sync of the disk whatever it holds, so sharing is what makes thousands of small transfers fast.
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

    /// Puts a commit in the queue, or fails it at once if nothing can be committed.
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

    /// Refuses all further commits; false if they are refused already.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Whether commits wait or are being made.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Makes all waiting commits, then takes its place in the writer's queue again if more have come, so that a reader of a
    /// journal in memory gets its turn between.
    private func drain(_ connection: Database) {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        // The journal failed while these commits waited.
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
        let performed: [PendingCommit.Performed]
        var log = LogCare.asUsual
        defer { take(log, of: database) }
        do {
            try reach(.begins(bodies: batch.count))
            performed = try perform(batch, on: database, &log)
            try reach(.commits(bodies: batch.count))
            try database.commit()
        } catch {
            // SQLite may have rolled back by itself (disk full, I/O error).
            if database.isInsideTransaction { try? database.rollback() }
            let failure = health.writeFailed(error)
            for commit in batch { commit.fail(failure) }
            return
        }
        for one in performed { one.tell() }
    }

    /// Runs all bodies in a transaction, which stays open.
    ///
    /// Nearly always the changes of all bodies stay. A savepoint for each body would copy every page that it changes, to a file
    /// if there are more than a few. So only a batch with a body whose changes do not stay is run again, with savepoints.
    ///
    /// - Throws: What makes the whole transaction worthless; never what a body had to say.
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
        // A body may have swallowed a failure of the disk; the transaction is lost all the same.
        if let fault = connection.fault { throw fault }
        return performed
    }

    /// What is done about the log after a commit.
    private enum LogCare: Int, Comparable {
        /// SQLite moves it into the journal's file when it is long.
        case asUsual
        case checkpoint
        case empty

        static func < (left: LogCare, right: LogCare) -> Bool { left.rawValue < right.rawValue }
    }

    /// Moves a long log into the journal's file, so that a start has little to read. All callers have been told before, so none
    /// waits for it.
    private func take(_ care: LogCare, of database: Database) {
        guard care != .asUsual else { return }
        do {
            try database.execute(sql: JournalSchema.usualPages)
            if !health.isInMemory { _ = try database.checkpoint(care == .empty ? .truncate : .passive) }
        } catch {
            // Everything is durable in the log too; a later commit moves it.
            health.logger.warning("The journal's log stays for now.", error: error)
        }
    }

    private func reach(_ step: JournalStep) throws {
        if let code = probe(step) { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}

/// One caller's share of a transaction that is still to come.
struct PendingCommit: Sendable {
    /// What a body did, and how to tell its caller once that is durable.
    struct Performed: Sendable {
        /// Whether the body's changes stay; a body that threw is undone.
        let isKept: Bool
        let tell: @Sendable () -> Void
    }

    /// Makes the changes; called again where they have to be undone and made anew.
    let perform: @Sendable (SQLiteTransaction) -> Performed
    /// Tells the caller that nothing of it was committed. Called instead of what ``perform`` returned, never beside it.
    let fail: @Sendable (ServiceError) -> Void
}

/// A step of the group commit.
enum JournalStep: Hashable, Sendable {
    /// A caller's body waits for its transaction.
    case queued
    /// A transaction of this many bodies begins.
    case begins(bodies: Int)
    /// All bodies ran; the transaction is about to be committed.
    case commits(bodies: Int)
}

/// Told of every step; an SQLite result code that it returns fails the transaction there, as that failure would.
typealias JournalProbe = @Sendable (JournalStep) -> Int32?
