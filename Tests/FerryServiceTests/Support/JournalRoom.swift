// Ferry: FerryServiceTests
// A journal without room.

import FerryCore
@testable import FerryService
@testable import FerryStore
import FerryTesting

/// Runs some code with a journal that does not grow, and lets it grow again.
func withoutRoom(
    _ service: LocalTransferService, _ body: () async throws -> Void
) async throws {
    try await limitPages(of: service.journal, to: 1)
    try await body()
    // Whoever shares a transaction with those who need room is refused with them.
    try await eventually("room") { (try? await limitPages(of: service.journal, to: 1_000_000)) != nil }
}

/// Lets the journal grow up to so many pages; where it has more, not at all.
private func limitPages(of journal: Journal, to count: Int) async throws {
    try await journal.commit { transaction throws(TransferError) in
        _ = try transaction.connection.row("PRAGMA max_page_count = \(count)")
    }
}
