import FerryCore
import GRDB
import Logging

/// Handling of the free pages of a journal's file.
struct PageUpkeep: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Too few free pages to justify the writing.
        case none
        /// Releases some free pages at the end of the file.
        case shorten
        /// Rewrites the file in a format that can be shortened.
        case rewrite
    }

    let pageSize: Int
    let pages: Int
    let free: Int
    /// Whether the file's format can be shortened. Files of earlier versions cannot.
    let canShorten: Bool

    /// Number of free pages that are kept for the next transfers.
    static let kept = 256
    /// Maximum number of pages released while holding the writer once.
    static let atOnce = 2000
    /// Bytes in use above which a file is not rewritten, because a copy of them is held in memory meanwhile.
    private static let mostRewritten = 32 << 20

    var step: Step {
        guard free > Self.kept else { return .none }
        if canShorten { return .shorten }
        return (pages - free).multipliedSaturated(by: pageSize) <= Self.mostRewritten ? .rewrite : .none
    }
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
        let before = try PageUpkeep(database)
        switch before.step {
        case .none: break
        case .shorten: try database.execute(sql: "PRAGMA incremental_vacuum(\(PageUpkeep.atOnce))")
        // In memory: a temporary file would keep deleted secrets.
        case .rewrite:
            try database.execute(
                sql: "PRAGMA temp_store = MEMORY; PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA temp_store = DEFAULT"
            )
        }
        // The log still holds deleted content, and the file shrinks only with a checkpoint.
        _ = try database.checkpoint(.truncate)
        let after = try PageUpkeep(database)
        // A damaged file may count free pages that cannot be released.
        return after.step != .none && after.free < before.free
    }
}

extension PageUpkeep {
    init(_ database: Database) throws {
        func number(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        pageSize = try number("page_size")
        pages = try number("page_count")
        free = try number("freelist_count")
        canShorten = try number("auto_vacuum") == 2
    }
}
