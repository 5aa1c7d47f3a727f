import FerryCore
import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Small files` {
    private let body = SeededBody(seed: 101, size: 10_000)

    @Test(arguments: [0, 1, 65_536, 65_537], [false, true])
    func `D1 of every size are there whole`(size: Int64, isShort: Bool) async throws {
        let body = SeededBody(seed: 102, size: size)
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] }
            let history = await harness.transfer(request) { if isShort { EngineHarness.expectShort(&$0) } }
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(.sha256)])
            // A file that is larger than expected is requested again.
            #expect(origin.requests.count == (isShort && size > ShortExchange.largestBody ? 2 : 1))
        }
    }

    /// The space to keep free counts for small files too, which are not preallocated.
    @Test(arguments: [10_000, 3_000_000] as [Int64])
    func `D9 of any size, none uses the space that is to be kept free`(size: Int64) async throws {
        let body = SeededBody(seed: 103, size: size)
        try await withEngine(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1) { $0.reserve = .max / 2 }
            #expect(history.codes == [.diskFull])
            #expect(!harness.contents.contains("file.bin"))
        }
    }

    /// A crash between the creation of a partial file and its record leaves one that no record names.
    @Test(arguments: [false, true]) func `D5 a partial file that was never recorded is removed`(isStopped: Bool)
        async throws
    {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put(EngineHarness.partialName)
            let run = harness.makeRun(harness.job(harness.request(origin.url())))
            if isStopped { await run.stop() }
            _ = await run.run()
            #expect(harness.contents == (isStopped ? [] : ["file.bin"]))
        }
    }

    /// A crash after the renaming leaves a name that is not durable yet.
    @Test func `D6 a name found after a crash is made durable before it is reported`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url())
            let placed = await harness.transfer(request)
            try #require(placed.facts.placement != nil)
            let before = harness.disk.events.count
            let found = await harness.transfer(request, from: placed.facts)
            #expect(found.success != nil && origin.requests.count == 1)
            #expect(harness.disk.events.dropFirst(before).contains(.folderSynced))
        }
    }

    @Test func `D6 many at once each get their own file`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let names = (1...60).map { "file-\($0)" }
            let ends = await withTaskGroup(of: Bool.self) { group in
                for (index, name) in names.enumerated() {
                    group.addTask {
                        let request = harness.request(origin.url()) { $0.file.name = name }
                        var job = harness.job(request)
                        job.id = TransferID(rawValue: UInt64(index + 1))
                        let report = await harness.makeRun(job).run()
                        return if case .succeeded(let success) = report.result { success.size == 10_000 } else { false }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends == names.map { _ in true })
            #expect(harness.contents == names.sorted())
            let digests = try names.map { try sha256(harness.path($0)) }
            #expect(Set(digests) == [body.sha256Hex])
        }
    }

    @Test func `D6 one commit records all that came together, before any of them has its name`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            _ = await harness.transfer(harness.request(origin.url()))
            let placements = harness.journal.commits.map(\.facts.placement?.path)
            #expect(placements == [harness.path("file.bin")])
            let seen = harness.disk.events.prefix(try #require(harness.journal.commits.first).diskEvents)
            #expect(seen.contains(.syncEnded))
            #expect(!seen.contains(.renamed("file.bin")))
        }
    }

    private static let steps: [LifecycleStep] = [
        .headAccepted, .partialMade, .bytesWritten, .attributesSet, .bytesSynced, .wholeVerified, .intentCommitted,
        .renamed, .folderSynced,
    ]

    private static let losses = FaultyDisk.Loss.allCases.flatMap { loss in [(loss, false), (loss, true)] }

    @Test(arguments: steps, losses)
    func `D1 survive a power cut at any step`(
        step: LifecycleStep, _ how: (loss: FaultyDisk.Loss, isShort: Bool)
    ) async throws {
        try await withPowerCut(at: step, OriginScript(body)) { harness, origin, cut in
            let request = harness.request(origin.url())
            let first = await harness.transfer(request, tries: 2) {
                if how.isShort { EngineHarness.expectShort(&$0) }
            }
            #expect(first.success == nil || step == .folderSynced)
            #expect(cut.hasHappened)
            try cut.end(how.loss)
            try harness.expectFile(await harness.transfer(request, from: harness.journal.facts), body)
        }
    }

    @Test(arguments: [DiskCall.createFile, .write, .syncData, .setMode, .rename], [false, true])
    func `continue with the usual steps where the disk failed once`(call: DiskCall, isShort: Bool) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(call, times: 1)
            let history = await harness.transfer(harness.request(origin.url())) {
                if isShort { EngineHarness.expectShort(&$0) }
            }
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [false, true]) func `D5 are looked for where the sync of the folder failed`(isShort: Bool)
        async throws
    {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.syncFolder, times: 1)
            let history = await harness.transfer(harness.request(origin.url())) {
                if isShort { EngineHarness.expectShort(&$0) }
            }
            #expect(history.codes == [.diskIO])
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [false, true]) func `F6 F7 take another name where theirs is taken or claimed`(isShort: Bool)
        async throws
    {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("file.bin")
            harness.journal.take(harness.path("file-1.bin"))
            let history = await harness.transfer(harness.request(origin.url())) {
                if isShort { EngineHarness.expectShort(&$0) }
            }
            try harness.expectFile(history, body, name: "file-2.bin", among: ["file.bin"])
            #expect(harness.text("file.bin") == "old")
        }
    }

    @Test(arguments: [false, true]) func `F6 F8 take another name where theirs is taken at the last moment`(
        isShort: Bool
    ) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.before(.rename) { try? harness.put("file.bin") }
            let history = await harness.transfer(harness.request(origin.url())) {
                if isShort { EngineHarness.expectShort(&$0) }
            }
            try harness.expectFile(history, body, name: "file-1.bin", among: ["file.bin"])
            #expect(harness.text("file.bin") == "old")
        }
    }

    @Test func `T3 the bytes received before a connection broke are kept`() async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: 4000)))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=4000-"])
        }
    }

    @Test(arguments: [false, true]) func `I6 leave nothing where a digest differs`(isShort: Bool) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let other = SeededBody(seed: 103, size: 10_000)
            let request = harness.request(origin.url()) { $0.response.checksums = [other.checksum(.sha256)] }
            let history = await harness.transfer(request) { if isShort { EngineHarness.expectShort(&$0) } }
            #expect(history.failure?.code == .digestMismatch)
            #expect(origin.requests.count == 1)
            #expect(harness.contents.isEmpty)
        }
    }
}
