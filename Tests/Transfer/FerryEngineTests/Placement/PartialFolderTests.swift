import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Partial files in a folder of their own` {
    private let body = SeededBody(seed: 98, size: 3_000_000)

    private func parts(_ harness: EngineHarness) -> String { harness.outside.file("parts") }

    private func leftovers(_ harness: EngineHarness) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: parts(harness))) ?? []).sorted()
    }

    private func request(
        _ harness: EngineHarness, _ origin: ScriptedOrigin, _ change: (inout TransferRequest) -> Void = { _ in }
    ) -> TransferRequest {
        harness.request(origin.url()) {
            $0.file.name = "file.bin"
            $0.file.onConflict = .replace
            $0.file.partialFolder = parts(harness)
            change(&$0)
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `F2 both folders are made for their user alone, and nothing is left in the first`() async throws {
        // So few bytes that all are kept even if the connection ends before the head is judged.
        let script = OriginScript(body, .on(.request(1), .cut(after: 400_000)))
        try await withEngine(script) { harness, origin in
            let request = request(harness, origin) { $0.file.folder = harness.path("deep/er") }
            let first = await harness.transfer(request, tries: 1)
            #expect(leftovers(harness) == [EngineHarness.partialName])
            #expect(first.facts.partial?.folder == parts(harness))
            for path in [parts(harness), harness.path("deep"), harness.path("deep/er")] {
                let found = try mode(path)
                #expect(found == 0o700)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: harness.path("deep/er")) == [])
            let history = await harness.transfer(request, from: first.facts)
            #expect(history.success?.path == harness.path("deep/er/file.bin"))
            #expect(try sha256(harness.path("deep/er/file.bin")) == body.sha256Hex)
            #expect(leftovers(harness) == [])
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=400000-"])
        }
    }

    @Test(arguments: [ConflictPolicy.replace, .unique])
    func `F2 a file of another file system is copied beside its name`(policy: ConflictPolicy) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.rename, EXDEV, times: 1)
            try harness.put("file.bin")
            let history = await harness.transfer(request(harness, origin) { $0.file.onConflict = policy })
            let isUnique = policy == .unique
            try harness.expectFile(
                history, body, name: isUnique ? "file-1.bin" : "file.bin", among: isUnique ? ["file.bin"] : [])
            #expect(leftovers(harness) == [])
            #expect(history.facts.copy == nil)
            let placement = try #require(history.facts.placement)
            #expect(await harness.engine.files.isPlacedFileIntact(placement))
            #expect(harness.disk.events.contains(.created(PartialFile.copyName(of: EngineHarness.id))))
        }
    }

    @Test(
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")),
        arguments: [ConflictPolicy.replace, .unique])
    func `F2 a file of memory is copied to the disk`(policy: ConflictPolicy) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let memory = "/dev/shm/ferry-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: memory) }
            let history = await harness.transfer(
                request(harness, origin) {
                    $0.file.onConflict = policy
                    $0.file.partialFolder = memory
                })
            try harness.expectFile(history, body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: memory) == [])
        }
    }

    // MARK: Failures of the placement

    @Test func `F2 a folder that cannot be made fails the transfer before any byte moves`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("taken")
            let request = request(harness, origin) { $0.file.folder = harness.path("taken/deeper") }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .destinationUnwritable)
            #expect(history.failure?.errorClass == .final)
            #expect(origin.requests.isEmpty)
            #expect(history.reports.count == 1)
        }
    }

    @Test func `10 a name that is a folder keeps all bytes, and a retry only places them`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try FileManager.default.createDirectory(
                atPath: harness.path("file.bin"), withIntermediateDirectories: false)
            let request = request(harness, origin)
            let first = await harness.transfer(request)
            #expect(first.failure?.code == .placementFailed)
            #expect(first.reports.count == 1)
            #expect(first.facts.ranges.byteCount == body.size)
            #expect(leftovers(harness) == [EngineHarness.partialName])
            try FileManager.default.removeItem(atPath: harness.path("file.bin"))
            let second = await harness.transfer(request, from: first.facts)
            try harness.expectFile(second, body)
            #expect(leftovers(harness) == [])
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [false, true])
    func `F6 fail keeps the whole file beside the one that is there`(isElsewhere: Bool) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            if isElsewhere { harness.disk.fail(.rename, EXDEV, times: 1) }
            try harness.put("file.bin")
            let request = request(harness, origin) { $0.file.onConflict = .fail }
            let first = await harness.transfer(request)
            #expect(first.failure?.code == .destinationExists)
            #expect(harness.text("file.bin") == "old")
            #expect(harness.contents == ["file.bin"])
            #expect(leftovers(harness) == [EngineHarness.partialName])
            try FileManager.default.removeItem(atPath: harness.path("file.bin"))
            try harness.expectFile(await harness.transfer(request, from: first.facts), body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `F2 a disk that is full for the copy keeps all bytes and no copy`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.rename, EXDEV)
            harness.disk.setRoom(body.size + 1_000_000)
            let request = request(harness, origin)
            let first = await harness.transfer(request, tries: 1)
            #expect(first.codes == [.diskFull])
            #expect(harness.contents == [])
            #expect(leftovers(harness) == [EngineHarness.partialName])
            harness.disk.setRoom(nil)
            harness.disk.fail(.rename, EXDEV, times: 1)
            try harness.expectFile(await harness.transfer(request, from: first.facts), body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `F5 a link that has the file's name is replaced and not followed`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.put("target")
            try harness.link("file.bin", to: harness.path("target"))
            harness.disk.fail(.rename, EXDEV, times: 1)
            try harness.expectFile(await harness.transfer(request(harness, origin)), body, among: ["target"])
            #expect(harness.text("target") == "old")
            #expect(harness.target(ofLink: "file.bin") == nil)
        }
    }

    @Test func `a partial folder that was taken away is made again`() async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: 2_000_000)))) { harness, origin in
            let request = request(harness, origin)
            let first = await harness.transfer(request, tries: 1)
            try FileManager.default.removeItem(atPath: parts(harness))
            try harness.expectFile(await harness.transfer(request, from: first.facts), body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
        }
    }

    // MARK: Crashes

    private static let steps: [LifecycleStep] = [
        .wholeVerified, .copyMade, .copySynced, .intentCommitted, .attributesSet, .renamed, .folderSynced,
    ]

    @Test(arguments: steps, [ConflictPolicy.replace, .unique])
    func `F2 a power cut at any step of a copy leaves one file and no copy`(
        step: LifecycleStep, policy: ConflictPolicy
    ) async throws {
        // The intent for the partial file precedes the intent for its copy.
        try await withPowerCut(at: step, OriginScript(body)) { harness, origin, cut in
            let memory = try OtherFileSystem()
            defer { memory.remove() }
            let request = request(harness, origin) {
                $0.file.onConflict = policy
                $0.file.partialFolder = memory.path
            }
            if !memory.isOther { harness.disk.fail(.rename, EXDEV, times: 1) }
            _ = await harness.transfer(request, tries: 1)
            #expect(cut.hasHappened)
            try cut.end()
            if !memory.isOther { harness.disk.fail(.rename, EXDEV, times: 1) }
            try harness.expectFile(await harness.transfer(request, from: harness.journal.facts), body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: memory.path) == [])
            // Before the first intent, the journal may not know any byte.
            #expect(origin.requests.count == 1 || step == .wholeVerified)
        }
    }

    @Test func `a run that is stopped during the copy keeps all bytes and no copy`() async throws {
        let run = Mutex<TransferRun?>(nil)
        let configure = { (configuration: inout Engine.Configuration) in
            configuration.reached = { step in
                guard step == .copyMade, let run = run.withLock({ $0 }) else { return }
                run.assumeIsolated { $0.stop() }
            }
        }
        try await withEngine(OriginScript(body), configured: configure) { harness, origin in
            harness.disk.fail(.rename, EXDEV, times: 1)
            let made = harness.makeRun(harness.job(request(harness, origin)))
            run.withLock { $0 = made }
            let report = await made.run()
            run.withLock { $0 = nil }
            guard case .stopped = report.result else { throw TestingError("\(report.result)") }
            #expect(harness.contents == [])
            #expect(report.facts.copy == nil)
            #expect(report.facts.ranges.byteCount == body.size)
            try harness.expectFile(await harness.transfer(request(harness, origin), from: report.facts), body)
            #expect(origin.requests.count == 1)
        }
    }
}

/// A folder on another file system, if there is one.
private struct OtherFileSystem {
    let path: String
    let isOther: Bool

    init() throws {
        isOther = FileManager.default.isWritableFile(atPath: "/dev/shm")
        path = (isOther ? "/dev/shm" : NSTemporaryDirectory()) + "/ferry-\(UUID().uuidString)"
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
