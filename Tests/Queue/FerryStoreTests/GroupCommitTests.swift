import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
@testable import FerryStore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Group commit` {
    @Test func `callers that come during a commit share the next one`() async throws {
        let gate = Gate(opensAfter: 51)
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await journal.commit { transaction throws(ServiceError) in
                    gate.wait()
                    try transaction.saveSettings(ServiceSettings())
                }
            }
            // Only while the first transaction runs are the others sure to arrive during it.
            for await _ in gate.begun { break }
            for number in UInt64(1)...50 {
                group.addTask { try await Sample.insert([try Sample.record(number)], into: journal) }
            }
            try await group.waitForAll()
        }
        #expect(gate.transactions == [1, 50])
        #expect(try await journal.counts() == [.pending: 50])
        await journal.close()
    }

    @Test func `a body that throws undoes only its own changes`() async throws {
        let gate = Gate(opensAfter: 4)
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet, probe: gate.probe)
        let undone = try Sample.record(2)
        async let first: Void = journal.commit { _ throws(ServiceError) in gate.wait() }
        for await _ in gate.begun { break }
        async let one: Void = Sample.insert([try Sample.record(1)], into: journal)
        async let two: Void = journal.commit { transaction throws(ServiceError) in
            try transaction.insert(undone)
            throw ServiceError(.invalidRequest, "No.")
        }
        async let three: Void = Sample.insert([try Sample.record(3)], into: journal)
        try await first
        try await one
        try await three
        do {
            try await two
            Issue.record("the body's error is lost")
        } catch {
            #expect((error as? ServiceError)?.code == .invalidRequest)
        }
        #expect(gate.transactions == [1, 3])
        let page = try await journal.page()
        #expect(page.map(\.id) == [Sample.id(1), Sample.id(3)])
    }

    @Test func `a body does not fail because of what another one has undone`() async throws {
        let gate = Gate(opensAfter: 3)
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet, probe: gate.probe)
        let records = [try Sample.record(1), try Sample.record(2)]
        async let first: Void = journal.commit { transaction throws(ServiceError) in
            gate.wait()
            for record in records { try transaction.insert(record) }
        }
        for await _ in gate.begun { break }
        async let one: Void = journal.commit { transaction throws(ServiceError) in
            _ = try transaction.claimDestination("/a", for: Sample.id(1))
            throw ServiceError(.invalidRequest, "No.")
        }
        while gate.queued < 2 { await Task.yield() }
        async let two: Void = journal.commit { transaction throws(ServiceError) in
            guard try transaction.claimDestination("/a", for: Sample.id(2)) else {
                throw ServiceError(.destinationExists, "Taken.")
            }
        }
        try await first
        try await two
        let error: (any Error)?
        do {
            try await one
            error = nil
        } catch let thrown {
            error = thrown
        }
        #expect((error as? ServiceError)?.code == .invalidRequest)
        #expect(gate.transactions == [1, 2])
        let holder = try await journal.read { reader throws(ServiceError) in try reader.destinationHolder("/a") }
        #expect(holder == Sample.id(2))
    }

    @Test func `a body that throws alone leaves nothing`() async throws {
        let gate = Gate()
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet, probe: gate.probe)
        let undone = try Sample.record(1)
        let error = await #expect(throws: ServiceError.self) {
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.insert(undone)
                throw ServiceError(.invalidRequest, "No.")
            }
        }
        #expect(error?.code == .invalidRequest)
        try await Sample.insert([try Sample.record(2)], into: journal)
        #expect(try await journal.page().map(\.id) == [Sample.id(2)])
        #expect(gate.transactions == [1, 1])
    }

    @Test func `the revision shows commits, except those of running transfers`() async throws {
        let gate = Gate(opensAfter: 2)
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet, probe: gate.probe)
        let before = journal.revision
        async let held: Void = journal.commit { _ throws(ServiceError) in gate.wait() }
        for await _ in gate.begun { break }
        let during = journal.revision
        #expect(during != before)
        try await journal.commit(ofRunning: true) { _ throws(ServiceError) in }
        try await held
        let after = journal.revision
        #expect(after != during && after != before)
        try await journal.commit(ofRunning: true) { _ throws(ServiceError) in }
        #expect(journal.revision == after)
        // The failed change to a running transfer may make it ready again.
        await #expect(throws: ServiceError.self) {
            try await journal.commit(ofRunning: true) { _ throws(ServiceError) in
                throw ServiceError(.invalidRequest, "No.")
            }
        }
        #expect(journal.revision != after)
    }

    @Test func `D7 after a failed write every commit fails at once`() async throws {
        let gate = Gate()
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        try await Sample.insert([try Sample.record(1)], into: journal)
        gate.fail(at: .commits(bodies: 1), with: 10)  // SQLITE_IOERR
        for number in UInt64(2)...3 {
            let error = await #expect(throws: ServiceError.self) {
                try await Sample.insert([try Sample.record(number)], into: journal)
            }
            #expect(error?.code == .journalFailed)
        }
        #expect(gate.transactions == [1, 1])
        #expect(try await journal.counts() == [.pending: 1])
        await journal.close()

        let again = try await Sample.open(folder)
        #expect(try await again.counts() == [.pending: 1])
        await again.close()
    }

    /// The commits that wait were accepted before the failure.
    @Test func `D7 commits that wait during a failed write fail too`() async throws {
        let gate = Gate(opensAfter: 4)
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        gate.fail(at: .commits(bodies: 1), with: 10)  // SQLITE_IOERR
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            group.addTask {
                do throws(ServiceError) {
                    try await journal.commit { _ throws(ServiceError) in gate.wait() }
                    return nil
                } catch { return error.code }
            }
            for await _ in gate.begun { break }
            for number in UInt64(1)...3 {
                group.addTask {
                    do { try await Sample.insert([try Sample.record(number)], into: journal) } catch {
                        return (error as? ServiceError)?.code
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == [.journalFailed, .journalFailed, .journalFailed, .journalFailed])
        #expect(gate.transactions == [1])
        await journal.close()
        let again = try await Sample.open(folder)
        #expect(try await again.counts() == [:])
        await again.close()
    }

    @Test func `D7 a full disk fails the transaction and the next one may succeed`() async throws {
        let gate = Gate()
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        gate.fail(at: .commits(bodies: 1), with: 13)  // SQLITE_FULL
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert([try Sample.record(1)], into: journal)
        }
        #expect(error?.code == .diskFull)
        try await Sample.insert([try Sample.record(1)], into: journal)
        #expect(try await journal.counts() == [.pending: 1])
        await journal.close()
    }

    /// A regression: one EIO, or a lack of descriptors, ended the daemon.
    ///
    /// SQLITE_IOERR_WRITE, SQLITE_IOERR_READ, SQLITE_CANTOPEN, SQLITE_IOERR_SHMOPEN and SQLITE_NOMEM.
    @Test(arguments: [778, 266, 14, 4618, 7] as [Int32])
    func `D7 a fault that may pass fails the transaction alone`(code: Int32) async throws {
        let gate = Gate()
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        gate.fail(at: .commits(bodies: 1), with: code)
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert([try Sample.record(1)], into: journal)
        }
        #expect(error?.code == .diskIO && error?.errorClass == .wait)
        try await Sample.insert([try Sample.record(1)], into: journal)
        #expect(try await journal.counts() == [.pending: 1])
        await journal.close()
    }

    /// A regression: SQLite reports one failed read (EIO) as damage, which ended the daemon.
    ///
    /// SQLITE_CORRUPT and SQLITE_NOTADB.
    @Test(arguments: [11, 26] as [Int32]) func `damage that another attempt does not find is none`(code: Int32)
        async throws
    {
        let gate = Gate()
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        gate.fail(at: .commits(bodies: 1), with: code, times: 2)
        try await Sample.insert([try Sample.record(1)], into: journal)
        #expect(try await journal.counts() == [.pending: 1])
        let attempts = Mutex(0)
        let found = try await journal.read { reader throws(ServiceError) -> Int in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            try (reader as? SQLiteReader)?.connection.checkAdvance(attempt == 3)
            return attempt
        }
        #expect(found == 3)
        #expect(try await journal.counts() == [.pending: 1])
        gate.fail(at: .commits(bodies: 1), with: code, times: 3)
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert([try Sample.record(2)], into: journal)
        }
        #expect(error?.code == .journalFailed && error?.message.contains("damaged") == true)
        #expect(FileManager.default.fileExists(atPath: folder.journal + ".check"))
        await journal.close()
    }

    /// After a failed sync, lost pages may look as if they were written.
    ///
    /// SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC and SQLITE_IOERR.
    @Test(arguments: [1034, 1290, 10] as [Int32])
    func `D7 after a failed sync nothing is committed`(code: Int32) async throws {
        let gate = Gate()
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet, probe: gate.probe).journal
        gate.fail(at: .commits(bodies: 1), with: code)
        for number in UInt64(1)...2 {
            let error = await #expect(throws: ServiceError.self) {
                try await Sample.insert([try Sample.record(number)], into: journal)
            }
            #expect(error?.code == .journalFailed)
        }
        await journal.close()
    }

    @Test func `a disk that really is full undoes the transaction and harms nothing`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert([try Sample.record(1)], into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.connection.row("PRAGMA max_page_count = 30")
        }
        let error = await #expect(throws: ServiceError.self) {
            try await Sample.insert(try (2...2000).map { try Sample.record($0) }, into: journal)
        }
        #expect(error?.code == .diskFull)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.connection.row("PRAGMA max_page_count = 1000000")
        }
        try await Sample.insert(try (2...2000).map { try Sample.record($0) }, into: journal)
        #expect(try await journal.counts() == [.pending: 2000])
        await journal.close()
    }

    @Test func `prints what inserts cost`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        let clock = ContinuousClock()
        let records = try (1...10_000).map { try Sample.record($0) }
        let batch = try await clock.measure { try await Sample.insert(records, into: journal) }
        let single = try await clock.measure {
            try await withThrowingTaskGroup { group in
                for number in UInt64(20_001)...21_000 {
                    group.addTask { try await Sample.insert([try Sample.record(number)], into: journal) }
                }
                try await group.waitForAll()
            }
        }
        print("10,000 records in one commit: \(batch); 1,000 concurrent commits: \(single)")
        #expect(try await journal.counts() == [.pending: 11_000])
        await journal.close()
    }
}
