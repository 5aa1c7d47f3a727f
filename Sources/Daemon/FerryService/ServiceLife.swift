import FerryCore
import FerryQueue
import Foundation

/// Startup and shutdown state of a service. Owned by the service.
struct ServiceLife {
    let startedAt: Date
    /// Warnings from opening the journal.
    private let found: [String]
    private let start: StartWatch
    /// The task that stops all runs, once the service is shutting down.
    private(set) var endOfRuns: Task<Void, Never>?
    private var isClosed = false
    private var failure: ServiceError?
    private let failed = AsyncStream.makeStream(of: ServiceError.self)

    init(_ start: StartWatch, at moment: Date, found: [String]) {
        startedAt = moment
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
    var isEnding: Bool { endOfRuns != nil }

    mutating func beginEnd(_ endOfRuns: Task<Void, Never>) { self.endOfRuns = endOfRuns }

    /// Marks the journal as about to be closed. Returns false if it already was.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }

    /// Records the failure of a required component. Returns false if one had already failed.
    mutating func fail(_ error: ServiceError) -> Bool {
        guard failure == nil else { return false }
        failure = error
        failed.continuation.yield(error)
        return true
    }

    /// The first failure. Finishes on shutdown.
    var failures: AsyncStream<ServiceError> { failed.stream }

    func finish() { failed.continuation.finish() }
}
