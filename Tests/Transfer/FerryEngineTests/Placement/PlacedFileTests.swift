import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Placed files` {
    private let body = SeededBody(seed: 99, size: 10_000)

    private func placed(_ harness: EngineHarness, _ origin: ScriptedOrigin) async throws -> PlacementIntent {
        let history = await harness.transfer(harness.request(origin.url()) { $0.file.remoteTime = true })
        return try #require(history.facts.placement)
    }

    @Test func `F6 a file is known again by its size and its time`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let placement = try await placed(harness, origin)
            #expect(placement.modified != nil)
            #expect(await harness.engine.files.isPlacedFileIntact(placement))
            let decoded = try JSONDecoder().decode(PlacementIntent.self, from: JSONEncoder().encode(placement))
            #expect(decoded == placement)
        }
    }

    enum Change: CaseIterable, Sendable { case removed, replaced, touched, longer, linked, folder }

    @Test(arguments: Change.allCases)
    func `F6 S5 a file that was changed is not the one that was placed, and is not removed as it`(
        change: Change
    ) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let placement = try await placed(harness, origin)
            let path = harness.path("file.bin")
            switch change {
            case .removed: try FileManager.default.removeItem(atPath: path)
            case .replaced:
                try FileManager.default.moveItem(atPath: path, toPath: harness.path("moved"))
                try Data(body.bytes).write(to: URL(filePath: path))
            case .touched:
                try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path)
            case .longer:
                let file = try #require(FileHandle(forUpdatingAtPath: path))
                try file.seekToEnd()
                try file.write(contentsOf: Data([1]))
                try file.close()
            case .linked:
                try FileManager.default.moveItem(atPath: path, toPath: harness.path("moved"))
                try harness.link("file.bin", to: harness.path("moved"))
            case .folder:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            let before = harness.contents
            #expect(await !harness.engine.files.isPlacedFileIntact(placement))
            let left = Leftovers(
                id: EngineHarness.id, partial: nil, copy: nil, placed: placement, intended: nil, partialFolder: nil)
            #expect(await harness.engine.files.remove([left]).isEmpty)
            #expect(harness.contents == before)
        }
    }

    @Test func `C2 a file gets another name unless that is taken`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            var placement = try await placed(harness, origin)
            try harness.put("taken")
            #expect(try await !harness.engine.files.renamePlacedFile(placement, to: "taken", replacing: false))
            #expect(harness.text("taken") == "old")
            #expect(try await harness.engine.files.renamePlacedFile(placement, to: "other", replacing: false))
            #expect(harness.contents == ["other", "taken"])
            placement.path = harness.path("other")
            #expect(await harness.engine.files.isPlacedFileIntact(placement))
            let left = Leftovers(
                id: EngineHarness.id, partial: nil, copy: nil, placed: placement, intended: nil, partialFolder: nil)
            #expect(await harness.engine.files.remove([left]).isEmpty)
            #expect(harness.contents == ["taken"])
        }
    }
}
