import FerryCore
import GRDB
import Logging

/// What is done about the pages of a journal's file that hold nothing.
struct PageUpkeep: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Too few to be worth the writing.
        case none
        /// Gives some free pages at the end of the file back.
        case shorten
        /// Writes the file anew, in a form that can be shortened.
        case rewrite
    }

    let pageSize: Int
    let pages: Int
    let free: Int
    /// Whether the file is of a form that can be shortened; files of earlier versions are not.
    let canShorten: Bool

    /// Free pages that stay: the next transfers need some.
    static let kept = 256
    /// Pages that are given back in one turn of the writer.
    static let atOnce = 2000
    /// Bytes in use above which a file is not written anew: a copy of them is in memory meanwhile.
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
                    health.logger.warning("The journal's file stays as large as it is.", error: error)
                    continuation.resume(returning: false)
                }
            }
        }
    }

    /// Gives back what the connections keep in memory: pages of the file, statements, and the readers themselves.
    ///
    /// Returns once the writer has given back its own.
    package func releaseMemory() async {
        guard health.failure == nil else { return }
        (database as? DatabasePool)?.releaseMemoryEventually()
        await withCheckedContinuation { continuation in
            // After what the pool has asked of its writer.
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
        // In memory: a file elsewhere would keep what is to be forgotten.
        case .rewrite:
            try database.execute(
                sql: "PRAGMA temp_store = MEMORY; PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA temp_store = DEFAULT"
            )
        }
        // The log has what was forgotten, and makes the file shorter only when it is moved.
        _ = try database.checkpoint(.truncate)
        let after = try PageUpkeep(database)
        // A damaged file may count free pages that cannot be given back.
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
