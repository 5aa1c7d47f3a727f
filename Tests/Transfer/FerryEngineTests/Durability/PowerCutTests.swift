import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Power cuts` {
    private static let steps: [LifecycleStep] = [
        .headAccepted, .partialMade, .identityCommitted, .bytesWritten, .bytesSynced, .rangesCommitted, .wholeVerified,
        .intentCommitted, .attributesSet, .renamed, .folderSynced,
    ]

    /// Runs a transfer that loses power at a step, then continues from the surviving disk and journal.
    private func survive(
        _ step: LifecycleStep, loss: FaultyDisk.Loss, _ script: OriginScript, expecting body: SeededBody,
        policy: ConflictPolicy = .unique, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await withPowerCut(at: step, script, configured: { $0.checkpointInterval = 0.01 }, location) {
            harness, origin, cut in
            let request = harness.request(origin.url()) {
                $0.response.checksums = [body.checksum(.sha256)]
                $0.file.onConflict = policy
            }
            let first = await harness.transfer(request, tries: 2)
            #expect(first.success == nil || step == .folderSynced, sourceLocation: location)
            try #require(cut.hasHappened, sourceLocation: location)
            try cut.end(loss)
            let history = await harness.transfer(request, from: harness.journal.facts)
            try harness.expectFile(history, body, location)
        }
    }

    @Test(arguments: steps, FaultyDisk.Loss.allCases)
    func `D1 D3 a power cut at any step costs no right byte and places no wrong one`(
        step: LifecycleStep, loss: FaultyDisk.Loss
    ) async throws {
        // The rate makes checkpoints happen before the end.
        let body = SeededBody(seed: 81, size: 2 << 20)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: 20 << 20))
        try await survive(step, loss: loss, script, expecting: body)
    }

    @Test(arguments: steps, [ConflictPolicy.replace, .fail])
    func `D1 a small file survives a power cut at any step`(step: LifecycleStep, policy: ConflictPolicy) async throws {
        // Without checkpoints, the ranges are recorded with the intent or with a failed attempt.
        let body = SeededBody(seed: 82, size: 200_000)
        let script = OriginScript(body, .on(.request(1), .cut(after: 100_000)))
        try await survive(step, loss: .bytes, script, expecting: body, policy: policy)
    }

    @Test(arguments: FaultyDisk.Loss.allCases)
    func `R10 a power cut between a restart's commit and its truncation mixes no versions`(
        loss: FaultyDisk.Loss
    ) async throws {
        let old = SeededBody(seed: 83, size: 300_000)
        let new = SeededBody(seed: 84, size: 200_000)
        let script = OriginScript(old, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...), .version(new)))
        try await withPowerCut(at: .restartCommitted, script) { harness, origin, cut in
            let request = harness.request(origin.url())
            _ = await harness.transfer(request, tries: 2)
            #expect(harness.journal.facts.ranges.isEmpty)
            try cut.end(loss)
            try harness.expectFile(await harness.transfer(request, from: harness.journal.facts), new)
        }
    }

    @Test func `D4 bytes outside the ranges are no data, whatever the file's length`() async throws {
        let body = SeededBody(seed: 85, size: 300_000)
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: 150_000)))) { harness, origin in
            let request = harness.request(origin.url())
            let facts = await harness.transfer(request, tries: 1).facts
            let file = try #require(FileHandle(forUpdatingAtPath: harness.path(EngineHarness.partialName)))
            try file.seekToEnd()
            try file.write(contentsOf: Data(repeating: 0xEE, count: 400_000))
            try file.close()
            try harness.expectFile(await harness.transfer(request, from: facts), body)
        }
    }

    @Test(arguments: ["gone", "shorter", "replaced", "linked", "folder", "hard link"])
    func `F9 a partial file that is not the recorded one is left alone, and all comes again`(
        how: String
    ) async throws {
        let body = SeededBody(seed: 86, size: 300_000)
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: 150_000)))) { harness, origin in
            let request = harness.request(origin.url())
            let facts = await harness.transfer(request, tries: 1).facts
            let name = EngineHarness.partialName
            let path = harness.path(name)
            let manager = FileManager.default
            switch how {
            case "shorter": try #require(FileHandle(forUpdatingAtPath: path)).truncate(atOffset: 100_000)
            case "hard link": try manager.linkItem(atPath: path, toPath: harness.path("second"))
            default:
                // Kept in another place, so that the new file does not reuse its inode.
                try manager.moveItem(atPath: path, toPath: harness.outside.file("moved"))
            }
            switch how {
            case "replaced": try harness.put(name, "somebody's")
            case "linked": try harness.link(name, to: harness.outside.file("moved"))
            case "folder": try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            default: break
            }
            let history = await harness.transfer(request, from: facts)
            let success = try #require(history.success, "\(history.errors)")
            #expect(try sha256(success.path) == body.sha256Hex)
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
            if how == "replaced" { #expect(harness.text(name) == "somebody's") }
            if how == "linked" {
                let moved = try manager.attributesOfItem(atPath: harness.outside.file("moved"))
                #expect(moved[.size] as? Int == 150_000)
            }
        }
    }
}
