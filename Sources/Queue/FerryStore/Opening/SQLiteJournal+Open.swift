package import FerryCore
package import FerryQueue
import Foundation
import GRDB
package import Logging

/// Opening a journal: new, existing, newer, or damaged.
extension SQLiteJournal {
    /// Opens the journal at a path, or creates it. Its folder must exist.
    ///
    /// - Returns: The journal and warnings for the user, for example that a damaged journal was set aside under a new
    ///   name.
    /// - Throws: `journal_failed` for a journal of a newer Ferry or of a build before the first version, which is left
    ///   unchanged, and for a file or folder that cannot be used.
    package static func open(
        at path: String, logger: Logger
    ) async throws(ServiceError) -> (journal: SQLiteJournal, warnings: [String]) {
        try await open(at: path, logger: logger, probe: { _ in nil })
    }

    /// Returns the closure with which a service opens the journal of a state folder. The folder must exist.
    package static func opening(in folder: String, logger: Logger) -> OpenedJournal.Opening {
        { () async throws(ServiceError) in
            let (journal, warnings) = try await open(at: folder + "/journal.sqlite", logger: logger)
            return OpenedJournal(journal, warnings: warnings)
        }
    }

    /// Creates an in-memory journal.
    package static func inMemory(logger: Logger) throws(ServiceError) -> SQLiteJournal {
        try inMemory(logger: logger, probe: { _ in nil })
    }

    static func inMemory(logger: Logger, probe: @escaping JournalProbe) throws(ServiceError) -> SQLiteJournal {
        let health = JournalHealth(file: nil, logger: logger)
        do {
            let queue = try DatabaseQueue(configuration: JournalSchema.configuration)
            try JournalSchema.migrator.migrate(queue)
            return SQLiteJournal(queue, health: health, probe: probe)
        } catch {
            throw health.translate(error)
        }
    }

    // Off the caller's executor: opening may read the whole file.
    @concurrent
    static func open(
        at path: String, logger: Logger, probe: @escaping JournalProbe,
        configuration: Configuration = JournalSchema.fileConfiguration
    ) async throws(ServiceError) -> (journal: SQLiteJournal, warnings: [String]) {
        let file = JournalFile(path: path)
        do {
            return try openUnlessDamaged(file, logger: logger, probe: probe, configuration)
        } catch is Damaged {
            let aside = try file.setAside(at: Date())
            let warning =
                "The journal “\(path.escapingControls)” was damaged and was renamed to “\(aside.escapingControls)”; a new one "
                + "was created, and the transfers of the old one must be submitted again."
            logger.error("A damaged journal was set aside.", metadata: ["kept_as": "\(aside.escapingControls)"])
            do {
                return (try openOnce(file, logger: logger, probe: probe, configuration).journal, [warning])
            } catch {
                throw JournalHealth(file: file, logger: logger).translate(error)
            }
        } catch {
            throw JournalHealth(file: file, logger: logger).translate(error)
        }
    }

    private struct Damaged: Error {}

    /// - Throws: `Damaged` if several attempts have found damage: a read that failed once looks like it.
    private static func openUnlessDamaged(
        _ file: JournalFile, logger: Logger, probe: @escaping JournalProbe, _ configuration: Configuration
    ) throws -> (journal: SQLiteJournal, warnings: [String]) {
        for _ in 1..<JournalHealth.damageAttempts {
            do {
                return try openOnce(file, logger: logger, probe: probe, configuration)
            } catch is Damaged {
                continue
            }
        }
        return try openOnce(file, logger: logger, probe: probe, configuration)
    }

    private static func openOnce(
        _ file: JournalFile, logger: Logger, probe: @escaping JournalProbe, _ configuration: Configuration
    ) throws -> (journal: SQLiteJournal, warnings: [String]) {
        let found = try file.size()
        let size = found ?? 0
        // An empty file is a damaged journal, unless a crash interrupted its creation.
        if found == 0, !file.isBeingMade { throw Damaged() }
        // Checked before SQLite opens the file: SQLite creates companion files, and completes another program's
        // interrupted transactions.
        if size > 0, try file.isForeign() { throw foreign(file) }
        let checksPages = size < JournalFile.alwaysCheckedBelow || file.hasCheckMarker
        let inspection = size > 0 ? try ReadOnlyInspection(file.path, checksPages: checksPages) : nil
        // Closed only after the journal is open.
        defer { inspection?.close() }
        if let inspection { try judge(inspection.found, of: file) }
        try file.prepare()
        do {
            let pool = try DatabasePool(path: file.path, configuration: configuration)
            if size > 0, inspection == nil {
                try judge(
                    pool.writeWithoutTransaction { try JournalInspection($0, checksPages: checksPages) }, of: file)
            }
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: JournalSchema.usualPages + "; PRAGMA journal_size_limit = 16777216")
            }
            try JournalSchema.migrator.migrate(pool)
            let mended = try pool.writeWithoutTransaction { try JournalNumbers.mend($0) }
            if let mended { logger.warning("\(mended)") }
            file.removeCheckMarker()
            file.isMade()
            let journal = SQLiteJournal(pool, health: JournalHealth(file: file, logger: logger), probe: probe)
            return (journal, [mended].compactMap { $0 })
        } catch  where error.isDamage {
            throw Damaged()
        }
    }

    private static func foreign(_ file: JournalFile) -> ServiceError {
        ServiceError(
            .journalFailed,
            """
            “\(file.path.escapingControls)” is the database of another program and was left as it is; move it away to \
            start with an empty journal.
            """)
    }

    private static func judge(_ found: JournalInspection, of file: JournalFile) throws {
        switch found {
        case .usable: return
        case .damaged: throw Damaged()
        case .foreign: throw foreign(file)
        case .unsupported:
            throw ServiceError(
                .journalFailed,
                """
                The journal “\(file.path.escapingControls)” was made by a build before Ferry 0.1.0 and was left as it is; \
                let that build finish its transfers, or move the file away to start with an empty journal.
                """)
        case .newer:
            throw ServiceError(
                .journalFailed,
                """
                The journal “\(file.path.escapingControls)” was made by a newer Ferry and was left as it is; \
                install that version again, or move the file away to start with an empty journal.
                """)
        }
    }
}
