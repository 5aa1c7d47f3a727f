import FerryCore
@testable import FerryService
@testable import FerryStore
import FerryTesting
import Foundation
import Logging
import Synchronization

/// A journal in memory that may be without room, and that makes those wait who commit.
func openSQLiteInMemory() async throws(ServiceError) -> OpenedJournal {
    OpenedJournal(try SQLiteJournal.inMemory(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
}

/// A disk under a journal in memory, on which one commit may find no room.
final class JournalRoom: Sendable {
    private enum State { case hasRoom, runsOut, hasRunOut }
    private let state = Mutex(State.hasRoom)

    func open() throws(ServiceError) -> OpenedJournal {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return OpenedJournal(
            try SQLiteJournal.inMemory(logger: logger) { step in
                guard case .commits = step else { return nil }
                return self.state.withLock { state in
                    guard state == .runsOut else { return nil }
                    state = .hasRunOut
                    // SQLITE_FULL
                    return 13
                }
            })
    }

    /// Lets the next commit fail with `SQLITE_FULL`, and no other.
    func runsOut() {
        state.withLock { if $0 == .hasRoom { $0 = .runsOut } }
    }

    /// Whether a commit has failed.
    var hasRunOut: Bool { state.withLock { $0 == .hasRunOut } }
}

/// Runs some code with a journal that does not grow, and lets it grow again.
func withoutRoom(_ service: LocalTransferService, _ body: () async throws -> Void) async throws {
    try await limitPages(of: service.journal, to: 1)
    try await body()
    // Whoever shares a transaction with those who need room is refused with them.
    try await eventually("room") { (try? await limitPages(of: service.journal, to: 1_000_000)) != nil }
}

/// Lets the journal grow up to so many pages; where it has more, not at all.
private func limitPages(of journal: any Journal, to count: Int) async throws {
    try await journal.commit { transaction throws(ServiceError) in
        _ = try transaction.connection.row("PRAGMA max_page_count = \(count)")
    }
}

/// Runs some code during a commit, which lasts until the code ends it.
///
/// Who commits waits for its end. Who reads a journal in a file sees what was before; one in memory lets nobody read.
func duringCommit(
    _ service: LocalTransferService, _ body: (_ end: () -> Void) async throws -> Void
) async throws {
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let ended = DispatchSemaphore(value: 0)
    async let commit: Void = service.journal.commit { _ throws(ServiceError) in
        begin.yield()
        // The limit only turns a hang into a failure.
        _ = ended.wait(timeout: .now() + 40)
    }
    for await _ in begun { break }
    do {
        try await body { ended.signal() }
    } catch {
        ended.signal()
        throw error
    }
    ended.signal()
    try await commit
}
