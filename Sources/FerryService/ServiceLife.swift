import FerryCore
import Foundation

/// How a service began, and how it ends. Owned by the service.
struct ServiceLife {
    let startedAt = Date()
    /// What was found when the journal was opened.
    private let found: [String]
    private let start: StartWatch
    /// The stop of all runs, once the service is about to end.
    private(set) var endOfRuns: Task<Void, Never>?
    private var isClosed = false
    private var failure: ServiceError?
    private let failed = AsyncStream.makeStream(of: ServiceError.self)

    init(_ start: StartWatch, found: [String]) {
        self.start = start
        self.found = found
    }

    // MARK: Start

    /// How this process started.
    var mode: StartMode { start.mode }

    /// What users are to know of it.
    var warnings: [String] { found + [start.mode.warning].compactMap { $0 } }

    /// Notes that the transfers that were at work at the traps have failed, so that no later start fails them again.
    func suspectsFailed() { start.suspectsFailed() }

    /// Notes that this start was a good one.
    func succeeded() { start.succeeded() }

    // MARK: End

    /// Whether the service is about to end, and begins nothing more.
    var isEnding: Bool { endOfRuns != nil }

    mutating func beginEnd(_ endOfRuns: Task<Void, Never>) { self.endOfRuns = endOfRuns }

    /// Notes that the journal is about to be closed; false if it was before.
    mutating func close() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }

    /// Notes that a part that the service needs has failed; false if one had before.
    mutating func fail(_ error: ServiceError) -> Bool {
        guard failure == nil else { return false }
        failure = error
        failed.continuation.yield(error)
        return true
    }

    /// The first failure, and the end.
    var failures: AsyncStream<ServiceError> { failed.stream }

    func finish() { failed.continuation.finish() }
}
