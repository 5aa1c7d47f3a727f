import FerryCore
@testable import FerryQueue
@testable import FerryService
@testable import FerryStore
import FerryTesting
import Foundation
import JournalKit
import Logging
import Synchronization

/// Opens an in-memory SQLite journal.
func openSQLiteInMemory() async throws(ServiceError) -> OpenedJournal {
    OpenedJournal(try SQLiteJournal.inMemory(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
}

/// A disk with an in-memory journal and room to spare, except for one commit on request.
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

    /// Makes only the next commit fail with `SQLITE_FULL`.
    func runsOut() {
        state.withLock { if $0 == .hasRoom { $0 = .runsOut } }
    }

    /// Whether a commit has failed.
    var hasRunOut: Bool { state.withLock { $0 == .hasRunOut } }
}

/// Runs `body` with a journal that cannot grow, then removes the limit.
func withoutRoom(_ service: LocalTransferService, _ body: () async throws -> Void) async throws {
    try await limitPages(of: service.journal, to: 1)
    try await body()
    // This commit fails as well if it shares a transaction with one that needs room.
    try await eventually("room") { (try? await limitPages(of: service.journal, to: 1_000_000)) != nil }
}

/// Runs `body` with a journal that can grow by so many pages, then removes the limit.
func withRoom(forPages count: Int64, _ service: LocalTransferService, _ body: () async throws -> Void) async throws {
    let pages = try await service.journal.read { reader throws(ServiceError) in
        var pages: Int64 = 0
        try reader.connection.forEachRow("PRAGMA page_count") { pages = $0.integer(0) ?? 0 }
        return pages
    }
    try await limitPages(of: service.journal, to: Int(pages + count))
    try await body()
    try await limitPages(of: service.journal, to: 1_000_000)
}

/// Limits the journal to a number of pages. If it has more, it cannot grow.
private func limitPages(of journal: any Journal, to count: Int) async throws {
    try await journal.commit { transaction throws(ServiceError) in
        _ = try transaction.connection.row("PRAGMA max_page_count = \(count)")
    }
}

/// Runs `body` during a commit, which lasts until `body` ends it.
///
/// Other commits wait for its end. Readers of a journal in a file see the state before the commit. Readers of an
/// in-memory journal wait.
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
