import FerryCore
import FerryQueue
import Foundation
import Logging
import Synchronization

/// Startup, shutdown and failure of a service. Shared by all its parts.
final class ServiceLife: Sendable {
    private struct State {
        /// The task that stops all runs, once the service is shutting down.
        var endOfRuns: Task<Void, Never>?
        var isClosed = false
        var isJournalClosed = false
        var failure: ServiceError?
    }

    let startedAt: Date
    private let logger: Logger
    /// Warnings from opening the journal.
    private let found: [String]
    private let start: StartWatch
    private let state = Mutex(State())
    private let failed = AsyncStream.makeStream(of: ServiceError.self)

    init(_ start: StartWatch, at moment: Date, found: [String], logger: Logger) {
        startedAt = moment
        self.logger = logger
        self.start = start
        self.found = found
    }

    // MARK: Start

    /// How this process started.
    var mode: StartMode { start.mode }

    /// Warnings for users.
    var warnings: [String] { found + [start.mode.warning].compactMap { $0 } }

    /// Records that the suspected transfers were failed, so that no later start fails them again.
    func suspectsFailed() { start.suspectsFailed() }

    /// Ends the trial: this start was good.
    func succeeded() { start.succeeded() }

    // MARK: Shutdown

    /// Whether the service is shutting down and starts nothing new.
    var isEnding: Bool { state.withLock { $0.endOfRuns != nil } }

    /// The task that stops all runs, once the service is shutting down.
    var endOfRuns: Task<Void, Never>? { state.withLock { $0.endOfRuns } }

    func beginEnd(_ endOfRuns: Task<Void, Never>) { state.withLock { $0.endOfRuns = endOfRuns } }

    /// - Throws: ``ServiceError`` with code `daemon_unreachable` once the service is shutting down.
    func checkIsOpen() throws(ServiceError) {
        if isEnding { throw ServiceError(.daemonUnreachable, "The daemon is ending.") }
    }

    /// Begins the last part of the shutdown. Returns false if it has already begun.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    // MARK: Failures

    /// The first failure of the journal, without which the service cannot run. Finishes on shutdown.
    var failures: AsyncStream<ServiceError> { failed.stream }

    func finish() { failed.continuation.finish() }

    /// Records that the journal is being closed. Its later calls fail, which ends nothing.
    func closesJournal() { state.withLock { $0.isJournalClosed = true } }

    /// Ends the service if the error shows that the journal has failed.
    func note(_ error: ServiceError) {
        guard error.code == .journalFailed else { return }
        let isFirst = state.withLock { state in
            guard !state.isJournalClosed, state.failure == nil else { return false }
            state.failure = error
            return true
        }
        guard isFirst else { return }
        failed.continuation.yield(error)
        logger.critical("the journal failed", metadata: ["error": "\(error)"])
    }
}
