import FerryCore
import GRDB
import Logging

/// Handling of the free pages of a journal's file.
enum PageUpkeep {
    /// Number of free pages that are kept for the next transfers.
    static let kept = 256
    /// Maximum number of pages released while holding the writer once.
    static let atOnce = 2000

    /// Whether there are enough free pages to justify the writing.
    static func isDue(free: Int) -> Bool { free > kept }
}

extension SQLiteJournal {
    package func reclaim() async -> Bool {
        guard !health.isInMemory, health.failure == nil else { return false }
        return await withCheckedContinuation { continuation in
            database.asyncWriteWithoutTransaction { [health] connection in
                do {
                    try RequestTemplates.clean(connection)
                    continuation.resume(returning: try Self.reclaim(connection))
                } catch {
                    health.logger.warning("The journal's file cannot be reduced.", error: error)
                    continuation.resume(returning: false)
                }
            }
        }
    }

    /// Releases the memory of the connections: cached pages, statements, and the readers themselves.
    ///
    /// Returns once the writer has released its own.
    package func releaseMemory() async {
        guard health.failure == nil else { return }
        (database as? DatabasePool)?.releaseMemoryEventually()
        await withCheckedContinuation { continuation in
            // Runs after the work that the pool has enqueued on its writer.
            database.asyncWriteWithoutTransaction { connection in
                try? connection.execute(sql: "PRAGMA shrink_memory")
                continuation.resume()
            }
        }
    }

    private static func reclaim(_ database: Database) throws -> Bool {
        let before = try freePages(database)
        if PageUpkeep.isDue(free: before) {
            try database.execute(sql: "PRAGMA incremental_vacuum(\(PageUpkeep.atOnce))")
        }
        // The log still holds deleted content, and the file shrinks only with a checkpoint.
        _ = try database.checkpoint(.truncate)
        let after = try freePages(database)
        // A damaged file may count free pages that cannot be released.
        return PageUpkeep.isDue(free: after) && after < before
    }

    private static func freePages(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
    }
}
