import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Checkpoints` {
    private let body = SeededBody(seed: 71, size: 4 << 20)
    private let often = { @Sendable (configuration: inout Engine.Configuration) in
        configuration.checkpointInterval = 0.01
    }

    @Test func `D2 ranges are recorded while bytes arrive`() async throws {
        let script = OriginScript(body, always: .hold("half", at: .body(2 << 20)))
        try await withEngine(script, configured: often) { harness, origin in
            async let history = harness.transfer(harness.request(origin.url()))
            await harness.journal.wait { $0.ranges == ByteRangeSet(0..<2 << 20) }
            origin.release("half")
            try harness.expectFile(await history, body)
        }
    }

    @Test func `D2 bytes that are written during a sync are not recorded by it`() async throws {
        let script = OriginScript(body, always: .hold("half", at: .body(2 << 20)))
        try await withEngine(script, configured: often) { harness, origin in
            let job = harness.job(harness.request(origin.url()))
            let progress = job.progress
            let isFirst = Mutex(true)
            harness.disk.before(.syncData) {
                guard
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return }
                // This sync lasts until the whole file has been written.
                origin.release("half")
                while progress.received.load(ordering: .relaxed) < body.size { sched_yield() }
            }
            let report = await harness.makeRun(job).run()
            guard case .succeeded = report.result else {
                Issue.record("the run ended with \(report.result)")
                return
            }
            let first = try #require(harness.journal.commits.first { !$0.facts.ranges.isEmpty })
            #expect(first.facts.ranges.byteCount <= 2 << 20)
        }
    }

    @Test func `D6 a small file has no checkpoint`() async throws {
        let body = SeededBody(seed: 71, size: 1 << 20)
        let script = OriginScript(body, always: .throttle(bytesPerSecond: 8 << 20))
        try await withEngine(script, configured: often) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(harness.disk.events.count { $0 == .syncBegan } == 1)
        }
    }

    @Test func `D5 after a failed sync the ranges are those last recorded`() async throws {
        let script = OriginScript(body, always: .hold("half", at: .body(2 << 20)), .hold("more", at: .body(3 << 20)))
        try await withEngine(script, configured: often) { harness, origin in
            let request = harness.request(origin.url())
            async let first = harness.transfer(request, tries: 1)
            await harness.journal.wait { $0.ranges == ByteRangeSet(0..<2 << 20) }
            harness.disk.fail(.syncData, EIO, times: 1)
            origin.release("half")
            let failed = await first
            #expect(failed.codes == [.diskIO])
            #expect(failed.facts.ranges == ByteRangeSet(0..<2 << 20))
            #expect(harness.journal.facts.ranges == ByteRangeSet(0..<2 << 20))
            origin.release("more")
            try harness.expectFile(await harness.transfer(request, from: failed.facts), body)
            #expect(origin.requests.last?.value("Range") == "bytes=2097152-")
        }
    }

    @Test func `D5 a failed last sync costs all that it was to make durable`() async throws {
        let body = SeededBody(seed: 71, size: 300_000)
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.syncData, EIO, times: 1)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.diskIO])
            #expect(history.reports[0].facts.ranges.isEmpty)
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
        }
    }

    @Test(arguments: [ENOSPC, EDQUOT])
    func `L7 a full disk keeps what fits`(errno: Int32) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setRoom(2_000_000, errno: errno)
            let request = harness.request(origin.url())
            let full = await harness.transfer(request, tries: 1)
            #expect(full.codes == [.diskFull])
            #expect(full.errors.first?.errorClass == .wait)
            #expect(full.errors.first?.details.errno == errno)
            let kept = full.facts.ranges.byteCount
            #expect(kept > 0 && kept <= 2_000_000)
            #expect(harness.contents == [EngineHarness.partialName])
            harness.disk.setRoom(nil)
            try harness.expectFile(await harness.transfer(request, from: full.facts), body)
            #expect(origin.requests.last?.value("Range") == "bytes=\(kept)-")
        }
    }

    @Test func `S13 no room for the whole file stops before the first byte`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.allocate, ENOSPC, times: 1)
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.diskFull])
            #expect(history.reports[0].cost.gained == 0)
        }
    }

    @Test(arguments: [[], [.chunked], [.untilClose]] as [[OriginMode]])
    func `L7 the reserve of free space is kept, also where the length is not known`(modes: [OriginMode]) async throws {
        try await withEngine(OriginScript(body, rules: modes.map { .on(.always, $0) })) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1) { $0.reserve = 1 << 60 }
            #expect(history.codes == [.diskFull])
            #expect(history.reports[0].cost.gained == 0)
        }
    }

    @Test func `S13 a disk that cannot reserve blocks is no failure`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setAllocates(false)
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test func `short writes are written on`() async throws {
        let body = SeededBody(seed: 71, size: 300_000)
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.setLargestWrite(777)
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] }
            try harness.expectFile(await harness.transfer(request), body)
        }
    }

    @Test func `a failed write is disk_io and is tried again`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.write, EIO, after: 5, times: 1)
            let request = harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.codes == [.diskIO])
        }
    }

    @Test func `a file beyond the file system's limit is final`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            harness.disk.fail(.write, EFBIG, after: 3)
            #expect(await harness.transfer(harness.request(origin.url())).failure?.code == .fileTooLarge)
        }
    }

    @Test func `D7 a journal that cannot be written ends the attempt`() async throws {
        let script = OriginScript(body, always: .hold("half", at: .body(2 << 20)))
        try await withEngine(script, configured: often) { harness, origin in
            let request = harness.request(origin.url())
            async let first = harness.transfer(request, tries: 1)
            await harness.journal.wait { !$0.ranges.isEmpty }
            harness.journal.cut()
            origin.release("half")
            #expect(await first.codes == [.journalFailed])
            harness.journal.restore()
            try harness.expectFile(await harness.transfer(request, from: harness.journal.facts), body)
        }
    }
}
