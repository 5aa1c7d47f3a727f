import FerryCore
@testable import FerryService
@testable import FerryStore
import FerryQueue
import FerryRules
import FerryTesting
import Foundation
import Logging
import Testing

/// A journal may be from an earlier version, edited by its user, or damaged by a disk. No start traps or hangs, and
/// every transfer can be shown, controlled and removed.
@Suite(.serialized, .timeLimit(.minutes(Mutations.minutes(3)))) struct `Mutated journals` {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func journal(_ folder: TemporaryFolder) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(at: folder.file("journal.sqlite"), logger: Self.quiet).journal
    }

    private func fill(_ folder: TemporaryFolder) async throws {
        let journal = try await journal(folder)
        let path = folder.path
        try await journal.commit { transaction throws(ServiceError) in try SampleRows.fill(transaction, in: path) }
        await journal.close()
    }

    /// Starts a service with the folder's journal, and shows, starts and removes all transfers.
    private func use(_ folder: TemporaryFolder) async throws {
        var configuration = ServiceConfiguration(
            stateFolder: folder.path, logger: Self.quiet, environment: [:],
            journal: SQLiteJournal.opening(in: folder.path, logger: Self.quiet))
        configuration.delayScale = 1e-6
        // Without a network, requests only reach this machine.
        configuration.machine.conditions = FakeConditions { $0.reachable = false }
        let service: LocalTransferService
        do throws(ServiceError) {
            service = try await LocalTransferService.open(configuration)
        } catch {
            #expect(error.code == .journalFailed, "\(error)")
            return
        }
        let session = try SessionID(SampleRows.application)
        do throws(ServiceError) {
            _ = try await service.transfers(TransferQuery())
            _ = try await service.allTransfers(of: .cli)
            _ = try await service.sessions()
            _ = try await service.status()
            _ = try await service.settings()
            _ = try await service.act(.retry, on: TransferSelection())
            _ = try await service.act(.start, in: session, on: nil)
            _ = try await service.act(.pause, in: .cli, on: nil)
            try await service.parts.upkeep.trimEvents()
            _ = try await service.act(.remove, on: TransferSelection())
            _ = try await service.act(.removeWithFile, in: session, on: nil)
        } catch {
            // Damage of the journal may be detected only during its use.
            #expect(error.code != .invalidRequest, "\(error)")
        }
        await service.shutdown()
    }

    private func copy(_ template: TemporaryFolder, to folder: TemporaryFolder) throws {
        try FileManager.default.copyItem(
            atPath: template.file("journal.sqlite"), toPath: folder.file("journal.sqlite"))
    }

    @Test func `with edited rows start, and show their contents`() async throws {
        var mutations = Mutations(seed: 21)
        try await withTemporaryFolder { template in
            try await fill(template)
            try await mutations.rounds(40, growth: 384) { mutations, _ in
                try await withTemporaryFolder { folder in
                    try copy(template, to: folder)
                    let journal = try await journal(folder)
                    let before = mutations
                    mutations = try await journal.commit { transaction throws(ServiceError) in
                        var mutations = before
                        try SampleRows.edit(transaction, &mutations)
                        return mutations
                    }
                    await journal.close()
                    try await use(folder)
                }
            }
        }
    }

    @Test func `whose file was damaged are used, or set aside`() async throws {
        var mutations = Mutations(seed: 22)
        try await withTemporaryFolder { template in
            try await fill(template)
            let bytes = [UInt8](try #require(FileManager.default.contents(atPath: template.file("journal.sqlite"))))
            try await mutations.rounds(40, growth: 384) { mutations, round in
                var damaged = bytes
                switch round % 4 {
                case 0: damaged = mutations.mutate(bytes)
                case 1:
                    for _ in 0..<20 {
                        damaged[Int.random(in: 0..<damaged.count, using: &mutations)] = .random(
                            in: 0...255, using: &mutations)
                    }
                case 2:
                    // The head of a page, which describes its layout to SQLite.
                    let page =
                        Int.random(in: 0..<damaged.count / 4096, using: &mutations) * 4096 + (round < 4 ? 100 : 0)
                    for offset in 0..<8 { damaged[page + offset] = .random(in: 0...255, using: &mutations) }
                default: damaged.removeLast(Int.random(in: 1..<damaged.count, using: &mutations))
                }
                try await withTemporaryFolder { folder in
                    try Data(damaged).write(to: URL(filePath: folder.file("journal.sqlite")))
                    try await use(folder)
                }
            }
        }
    }
}
