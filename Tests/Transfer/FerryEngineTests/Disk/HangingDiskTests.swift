import FerryCore
import FerryDisk
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A file system that hangs` {
    private static let large = SeededBody(seed: 95, size: 4 << 20)
    private static let small = SeededBody(seed: 96, size: 10_000)

    /// Runs `body` while a transfer to a separate file system hangs in a call.
    private func whileHanging(
        in call: DiskCall, transfers: Int, of content: SeededBody,
        _ body: (EngineHarness, ScriptedOrigin) async throws -> Void
    ) async throws {
        try await withEngine(OriginScript(content)) { harness, origin in
            let hung = harness.outside.file("hung")
            try FileManager.default.createDirectory(atPath: hung, withIntermediateDirectories: false)
            harness.disk.setDevice(1, of: hung)
            harness.disk.setDevice(2, of: harness.folder)
            let hold = harness.disk.hold(call, below: hung)
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { hold.release() }
                for number in 1...transfers {
                    var job = harness.job(harness.request(origin.url()) { $0.file.folder = hung })
                    job.id = TransferID(rawValue: UInt64(0x9000 + number))
                    let run = harness.makeRun(job)
                    group.addTask { _ = await run.run() }
                }
                try await eventually("the disk hangs") { hold.count > 0 }
                try await body(harness, origin)
                #expect(hold.count > 0)
                hold.release()
                try await group.waitForAll()
            }
        }
    }

    /// Each file system has its own event loop. On a shared one, a hanging call would stop everything.
    @Test(arguments: [DiskCall.write, .syncData, .allocate, .openFolder])
    func `holds up its own transfers alone`(call: DiskCall) async throws {
        try await whileHanging(in: call, transfers: 6, of: Self.large) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), Self.large)
        }
    }

    @Test(arguments: [DiskCall.write, .syncData])
    func `holds up no small files of others`(call: DiskCall) async throws {
        try await whileHanging(in: call, transfers: 6, of: Self.small) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), Self.small)
        }
    }

    @Test func `is no reason to wait for where the bytes are`() async throws {
        try await withEngine(OriginScript(Self.large)) { harness, origin in
            harness.disk.setDevice(1, of: harness.folder)
            let hold = harness.disk.hold(.write, below: harness.folder)
            let job = harness.job(harness.request(origin.url()) { $0.transport.connections = 2 })
            let run = harness.makeRun(job)
            async let report = run.run()
            defer { hold.release() }
            try await eventually("the disk hangs") { hold.count > 0 }
            // The run's actor responds while its writes hang.
            await run.follow(job.request)
            await run.stop()
            hold.release()
            let result = await report.result
            guard case .stopped = result else {
                Issue.record("the run ended with \(result)")
                return
            }
        }
    }

    @Test func `does not keep the engine from ending`() async throws {
        let harness = try EngineHarness()
        let origin = try await ScriptedOrigin.start(OriginScript(Self.large))
        harness.disk.setDevice(1, of: harness.folder)
        let hold = harness.disk.hold(.write, below: harness.folder)
        let run = harness.makeRun(harness.job(harness.request(origin.url())))
        async let report = run.run()
        try await eventually("the disk hangs") { hold.count > 0 }
        await run.stop()
        await harness.engine.shutdown()
        #expect(hold.count > 0)
        hold.release()
        _ = await report
        await origin.shutdown()
        harness.outside.remove()
    }

    /// Digests of large files must not occupy the threads for checkpoints.
    @Test func `that reads slowly holds up no checkpoints of its own transfers`() async throws {
        try await withEngine(OriginScript(Self.large)) { harness, origin in
            let request = harness.request(origin.url())
            let file = try #require(await harness.transfer(request).success).path
            let hold = harness.disk.hold(.read, below: harness.folder)
            let disk = harness.engine.disk.at(.devices(home: 1, target: 1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { hold.release() }
                for _ in 1...8 {
                    group.addTask {
                        _ = await disk.bulk.result { system throws(DiskError) in
                            let open = try system.openFile(file.lastPathPart, in: system.openFolder(file.folderPart))
                            return try FerryEngine.FileDigest.extend(
                                RunningDigest([.md5]), of: open, to: 4 << 20, disk: system)
                        }
                    }
                }
                try await eventually("digests hang") { hold.count > 1 }
                let answer = await disk.result { _ throws(DiskError) in 1 }
                let one = try answer.get()
                #expect(one == 1)
                hold.release()
                try await group.waitForAll()
            }
        }
    }
}
