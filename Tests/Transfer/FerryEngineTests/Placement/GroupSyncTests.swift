import FerryCore
import FerryDisk
import FerryRules
import FerryTesting
import Foundation
import NIOCore
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Small files that become durable together` {
    private static let size: Int64 = 1000

    @Test(
        arguments: [
            (files: 1, unwritten: 0, GroupSync.eachFile), (3, 0, .eachFile), (4, 0, .fileSystem),
            (64, 64 * size, .fileSystem), (4, nil, .eachFile),
            (4, 4 * size + 4 * 256 << 10, .fileSystem), (4, 4 * size + (4 * 256 << 10) + 1, .eachFile),
            (64, Int64.max, .eachFile), (4, Int64.min, .fileSystem),
        ] as [(Int, Int64?, GroupSync)])
    func `D6 are synced by one call where they are several and little else waits to be written`(
        files: Int, unwritten: Int64?, sync: GroupSync
    ) {
        #expect(GroupSync(files: files, bytes: Int64(files) * Self.size, unwritten: unwritten) == sync)
    }

    private static func files(_ count: Int, in harness: EngineHarness) -> [SmallFiles.File] {
        (1...count).map { number in
            var facts = TransferFacts()
            facts.name = "file-\(number)"
            let attributes = PlacedAttributes(keepsMode: false, mode: 0o644, modified: nil, origin: nil)
            return SmallFiles.File(
                id: TransferID(rawValue: UInt64(number)), bytes: ByteBuffer(bytes: content(of: number)),
                known: Boxed(wrappedValue: facts),
                folder: harness.folder, makesFolder: false, folderMode: 0o755, allowedFolders: nil,
                rule: ConflictRule(.unique, at: .placement), attributes: attributes, verified: [], reserve: 0,
                journal: harness.journal)
        }
    }

    private static func content(of number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: Int(size))
    }

    private static func arePlaced(_ results: [SmallFiles.Result]) -> Bool {
        results.allSatisfy { if case .placed = $0 { true } else { false } }
    }

    private func place(_ count: Int, in harness: EngineHarness) async -> [SmallFiles.Result] {
        await harness.engine.smallFiles(at: .anywhere).place(Self.files(count, in: harness))
    }

    private func expectAll(_ count: Int, in harness: EngineHarness, _ location: SourceLocation = #_sourceLocation) {
        #expect(harness.contents == (1...count).map { "file-\($0)" }.sorted(), sourceLocation: location)
        for number in 1...count {
            let bytes = FileManager.default.contents(atPath: harness.path("file-\(number)"))
            #expect(bytes == Self.content(of: number), sourceLocation: location)
        }
    }

    @Test func `D6 a group costs one sync`() async throws {
        try await withEngine { harness in
            #expect(Self.arePlaced(await place(8, in: harness)))
            expectAll(8, in: harness)
            #expect(harness.disk.events.count { $0 == .fileSystemSynced } == 1)
            #expect(!harness.disk.events.contains(.syncEnded))
        }
    }

    @Test(arguments: ["no call", "much unwritten", "unknown"])
    func `D6 each is synced where one call would not do, or would cost more`(reason: String) async throws {
        try await withEngine { harness in
            switch reason {
            case "no call": harness.disk.setSyncsFileSystems(false)
            case "much unwritten": harness.disk.setUnwrittenBytes(1 << 30)
            default: harness.disk.setUnwrittenBytes(nil)
            }
            #expect(Self.arePlaced(await place(8, in: harness)))
            expectAll(8, in: harness)
            #expect(harness.disk.events.count { $0 == .syncEnded } == 8)
        }
    }

    @Test func `D5 each is synced where the sync of all has failed, and what fails then is not made`() async throws {
        try await withEngine { harness in
            harness.disk.fail(.syncFileSystem, EIO, times: 1)
            harness.disk.fail(.syncData, EIO, after: 2, times: 1)
            let results = await place(5, in: harness)
            let made = results.map { if case .placed = $0 { true } else { false } }
            #expect(made == [true, true, false, true, true])
            #expect(harness.contents == ["file-1", "file-2", "file-4", "file-5"])
        }
    }

    private static let steps: [LifecycleStep] = [
        .partialMade, .bytesWritten, .attributesSet, .bytesSynced, .intentCommitted, .renamed, .folderSynced,
    ]

    @Test(arguments: steps, FaultyDisk.Loss.allCases)
    func `D1 their recorded bytes exist after a power cut at any step`(
        step: LifecycleStep, loss: FaultyDisk.Loss
    ) async throws {
        try await withPowerCut(at: step, OriginScript(SeededBody(seed: 1, size: 1))) { harness, _, cut in
            _ = await place(6, in: harness)
            #expect(cut.hasHappened)
            try cut.end(loss)
            for commit in harness.journal.commits {
                let partial = try #require(commit.facts.partial)
                let path = try #require(commit.facts.destination)
                let number = try #require(Int(path.lastPathPart.dropFirst("file-".count)))
                let found = [path, partial.folder + "/" + partial.name].compactMap {
                    FileManager.default.contents(atPath: $0)
                }
                #expect(found == [Self.content(of: number)])
            }
        }
    }

    @Test func `the system's disk syncs what it says that it syncs`() throws {
        let folder = try TemporaryFolder()
        let disk = SystemDisk()
        let open = try disk.openFolder(folder.path)
        let file = try disk.createFile("file", in: open)
        let written = try unsafe [1, 2, 3].withUnsafeBytes { try unsafe disk.write($0, to: file, at: 0) }
        #expect(written > 0)
        // The file system of the test's folder is unknown, so either result is right. An error is not.
        let isSynced = try disk.syncFileSystem(of: open)
        #expect(try disk.syncFileSystem(of: open) == isSynced)
        #expect(try #require(disk.unwrittenBytes()) >= 0)
    }
}
