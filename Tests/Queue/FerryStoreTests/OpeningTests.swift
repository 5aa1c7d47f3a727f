import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Opening a journal` {
    /// Returns a folder with a closed journal of many pages.
    private func filledFolder() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert(try (1...500).map { try Sample.record($0) }, into: journal)
        await journal.close()
        return folder
    }

    @Test func `only the user may read it`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert([try Sample.record(1)], into: journal)
        for name in try folder.files() {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
        }
        await journal.close()
    }

    @Test func `commits are synced`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let pragmas = try await journal.commit { transaction throws(ServiceError) in
            var values: [String?] = []
            for name in ["synchronous", "journal_mode", "foreign_keys"] {
                try transaction.connection.forEachRow("PRAGMA \(name)") { row in
                    values.append(row.text(0) ?? row.integer(0).map(String.init))
                }
            }
            return values
        }
        #expect(pragmas == ["2", "wal", "1"])
        await journal.close()
    }

    @Test func `a newer journal is refused and left as it is`() async throws {
        let folder = try await filledFolder()
        let journal = try await Sample.open(folder)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("INSERT INTO grdb_migrations VALUES ('999')")
        }
        await journal.close()
        let before = try folder.bytes()
        let error = await #expect(throws: ServiceError.self) { try await Sample.open(folder) }
        #expect(error?.code == .journalFailed)
        #expect(error?.message.contains(folder.journal) == true)
        #expect(try folder.bytes() == before)
    }

    /// Such a build named its versions by numbers, and had all of them up to its own.
    @Test(arguments: [1, 5, 11])
    func `a journal of a build before the first version is refused and left as it is`(version: Int) async throws {
        let folder = try await filledFolder()
        let journal = try await Sample.open(folder)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("DELETE FROM grdb_migrations")
            for number in 1...version {
                try transaction.connection.execute("INSERT INTO grdb_migrations VALUES ('\(number)')")
            }
        }
        await journal.close()
        let before = try folder.bytes()
        let error = await #expect(throws: ServiceError.self) { try await Sample.open(folder) }
        #expect(error?.code == .journalFailed)
        #expect(error?.message.contains("“\(folder.journal)” was made by a build before Ferry 0.1.0") == true)
        #expect(try folder.bytes() == before)
    }

    enum Damage: CaseIterable { case header, truncated, pages, empty100, version }

    @Test(arguments: Damage.allCases)
    func `a damaged journal is set aside and a new one made`(damage: Damage) async throws {
        let folder = try await filledFolder()
        if damage == .version { try await loseVersion(of: folder) }
        var bytes = try folder.bytes()
        switch damage {
        case .header: bytes.replaceSubrange(0..<100, with: Data(repeating: 0x55, count: 100))
        case .truncated: bytes.removeLast(bytes.count / 2 + 100)
        case .pages:
            bytes.replaceSubrange(8192..<bytes.count - 8192, with: Data(repeating: 0xA5, count: bytes.count - 16384))
        case .empty100: bytes = Data(repeating: 0, count: 100)
        case .version: break
        }
        try bytes.write(to: URL(filePath: folder.journal))
        #expect(FileManager.default.createFile(atPath: folder.journal + ".check", contents: nil))

        let (journal, warnings) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
        #expect(warnings.count == 1)
        #expect(try await journal.counts().isEmpty)
        try await Sample.insert([try Sample.record(1)], into: journal)
        await journal.close()
        let aside = try folder.files().filter { $0.hasPrefix("journal.sqlite.damaged-") && $0.hasSuffix("Z") }
        try #require(aside.count == 1)
        #expect(try folder.bytes(aside[0]) == bytes)
        #expect(try !folder.files().contains("journal.sqlite.check"))
        #expect(warnings.first?.contains(aside[0]) == true)
    }

    /// Damages the name of the last migration so that it is not text.
    private func loseVersion(of folder: TemporaryFolder) async throws {
        let journal = try await Sample.open(folder)
        try await journal.commit { transaction throws(ServiceError) in
            for step in [
                "DROP TABLE grdb_migrations", "CREATE TABLE grdb_migrations (identifier TEXT)",
                "INSERT INTO grdb_migrations VALUES (NULL)",
            ] {
                try transaction.connection.execute(step)
            }
        }
        await journal.close()
    }

    @Test func `damage met at run time fails the journal and asks for a check at the next start`() async throws {
        let folder = try await filledFolder()
        let journal = try await Sample.open(folder)
        let file = try FileHandle(forUpdating: URL(filePath: folder.journal))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try file.close()
        let error = await #expect(throws: ServiceError.self) {
            try await journal.page()
        }
        #expect(error?.code == .journalFailed)
        #expect(try folder.files().contains("journal.sqlite.check"))
        await #expect(throws: ServiceError.self) { try await Sample.insert([try Sample.record(1)], into: journal) }
        await journal.close()
        #expect(try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet).warnings.count == 1)
    }

    @Test func `CVE_2014_4877 a link planted at the journal's name is not followed`() async throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        try FileManager.default.createSymbolicLink(atPath: folder.journal, withDestinationPath: target)
        let error = await #expect(throws: ServiceError.self) { try await Sample.open(folder) }
        #expect(error?.code == .journalFailed)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// Returns a folder with a database that is marked as another program's.
    private func foreignFolder(_ steps: [String]) async throws -> TemporaryFolder {
        let folder = try await filledFolder()
        let journal = try await Sample.open(folder)
        try await journal.commit { transaction throws(ServiceError) in
            for step in steps { try transaction.connection.execute(step) }
        }
        await journal.close()
        return folder
    }

    @Test(arguments: ["PRAGMA application_id = 1", "PRAGMA application_id = 0"])
    func `a database of another program is refused and left as it is`(pragma: String) async throws {
        let folder = try await foreignFolder([pragma, "CREATE TABLE bookmarks (url TEXT)"])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.journal)
        let before = try folder.bytes()
        let error = await #expect(throws: ServiceError.self) { try await Sample.open(folder) }
        #expect(error?.code == .journalFailed && error?.message.contains("another program") == true)
        #expect(try folder.bytes() == before && folder.files() == ["journal.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.journal)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
    }

    /// Opening such a file for writing would complete or roll back an operation of its own program.
    @Test func `a database that another program has left in the middle of a change is not touched`() async throws {
        let folder = try await foreignFolder(["PRAGMA application_id = 0"])
        let before = try folder.bytes()
        // A hot rollback journal: its header without any page.
        var hot = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        for number: UInt32 in [0, 1, UInt32(before.count / 4096), 512, 4096] {
            hot.append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
        }
        hot.append(Data(count: 512 - hot.count))
        try hot.write(to: URL(filePath: folder.journal + "-journal"))
        let error = await #expect(throws: ServiceError.self) { try await Sample.open(folder) }
        #expect(error?.code == .journalFailed)
        #expect(try folder.bytes() == before && folder.bytes("journal.sqlite-journal") == hot)
    }

    @Test func `a journal without a table of its own is damaged`() async throws {
        let folder = try await filledFolder()
        let whole = try await Sample.open(folder)
        try await whole.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("DROP TABLE events")
        }
        await whole.close()
        let (journal, warnings) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
        #expect(warnings.count == 1)
        await journal.close()
    }

    /// SQLite and Foundation reject such deeply nested JSON. The error must affect only this row.
    @Test(arguments: ["[", #"{"a":"#])
    func `a deeply nested row stops no other`(opening: String) async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert(try (1...6).map { try Sample.record($0) }, into: journal)
        let bomb = String(repeating: opening, count: 200_000)
        try await journal.commit { transaction throws(ServiceError) in
            for (phase, id) in [(0, 1), (2, 2), (3, 3), (4, 4)] as [(Int, UInt64)] {
                try transaction.connection.execute(
                    """
                    UPDATE transfers SET phase = \(phase), facts = '\(bomb)', failures = '\(bomb)', retry = '\(bomb)', \
                    outcome = '\(bomb)', finished_at = 1, line = NULL WHERE id = \(Sample.id(id).column)
                    """)
                try transaction.connection.execute(
                    """
                    UPDATE requests SET request = '\(bomb)', credentials = '\(bomb)' WHERE id = \(Sample.id(id).column)
                    """)
            }
            try transaction.connection.execute(
                "INSERT INTO sessions (name, settings, cookies) VALUES ('s', '\(bomb)', '\(bomb)')")
            try transaction.connection.execute("INSERT INTO settings (name, value) VALUES ('service', '\(bomb)')")
        }
        await journal.close()
        let again = try await Sample.open(folder)
        let (records, settings) = try await again.read { reader throws(ServiceError) in
            _ = try reader.unfinishedCleanups()
            _ = try reader.remains(of: nil)
            _ = try reader.spooledTransfers(endedBefore: .now)
            _ = try reader.storedSessions()
            _ = try reader.lines()
            try reader.forEachPending(.timed) { _ in }
            return (try reader.page(JournalFilter()), try reader.settings())
        }
        #expect(settings == nil && records.count == 6)
        #expect(records.count { $0.outcome == nil } == 2)
        await again.close()
    }

    /// A regression: the queue was lost silently.
    @Test func `an empty file is a damaged journal, but for one that was being made`() async throws {
        for isBeingMade in [false, true] {
            let folder = try TemporaryFolder()
            #expect(FileManager.default.createFile(atPath: folder.journal, contents: nil))
            if isBeingMade { #expect(FileManager.default.createFile(atPath: folder.journal + ".begun", contents: nil)) }
            let (journal, warnings) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
            #expect(warnings.isEmpty == isBeingMade)
            #expect(try folder.files().contains { $0.hasPrefix("journal.sqlite.damaged-") } == !isBeingMade)
            #expect(try !folder.files().contains("journal.sqlite.begun"))
            await journal.close()
        }
    }

    @Test func `a folder that is not there is an error`() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: ServiceError.self) {
            try await SQLiteJournal.open(at: folder.path + "/none/journal.sqlite", logger: Sample.quiet)
        }
        #expect(error?.code == .journalFailed)
    }

    @Test func `a killed writer leaves its commits and nothing else`() async throws {
        let folder = try TemporaryFolder()
        let crashed = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet) { step in
            // The bodies of the second transaction have run, but not its COMMIT.
            if step == .commits(bodies: 1), FileManager.default.fileExists(atPath: folder.path + "/kill") {
                for suffix in ["", "-wal"] {
                    try? FileManager.default.copyItem(atPath: folder.journal + suffix, toPath: crashed.journal + suffix)
                }
            }
            return nil
        }.journal
        try await Sample.insert(try (1...300).map { try Sample.record($0) }, into: journal)
        #expect(FileManager.default.createFile(atPath: folder.path + "/kill", contents: nil))
        try await Sample.insert(try (301...400).map { try Sample.record($0) }, into: journal)
        await journal.close()

        let (again, warnings) = try await SQLiteJournal.open(at: crashed.journal, logger: Sample.quiet)
        #expect(warnings.isEmpty)
        #expect(try await again.counts() == [.pending: 300])
        await again.close()
    }
}
