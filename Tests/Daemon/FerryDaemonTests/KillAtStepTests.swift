import FerryCore
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A daemon that dies at a step` {
    private static let body = SeededBody(seed: 11, size: 3_000_000)

    /// Steps of a faultless download before its completion, while the client knows its id.
    private static let plainSteps: [LifecycleStep] = [
        .headAccepted, .partialMade, .identityCommitted, .bytesWritten, .bytesSynced, .wholeVerified, .intentCommitted,
        .attributesSet, .renamed, .folderSynced, .outcomeCommitted,
    ]

    @Test(arguments: plainSteps)
    func `D1 is started again by the waiting client, and the file is there once and whole`(
        step: LifecycleStep
    ) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
            let first = try #require(ferry.daemons.first)
            let result = try await ferry.run(["get", origin.url(), "--json"])
            #expect(result.status == 0, "\(result)")
            #expect(!ferry.daemons.contains(first), "the daemon did not die at \(step)")
            try await expectOnce(ferry, Self.body)
        }
    }

    @Test func `D1 after ranges were committed resumes from them`() async throws {
        // The client accepts more than this while the head is judged, so every byte counts, however long that takes.
        let script = OriginScript(Self.body, .on(.request(1), .cut(after: 400_000)))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": LifecycleStep.rangesCommitted.rawValue])
            let first = try #require(ferry.daemons.first)
            let result = try await ferry.run(["get", origin.url()])
            #expect(result.status == 0, "\(result)")
            #expect(!ferry.daemons.contains(first))
            try await expectOnce(ferry, Self.body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=400000-"])
            #expect(await origin.allBytesSent == Self.body.size)
        }
    }

    @Test func `D1 after a restart was committed truncates before the first byte`() async throws {
        let changed = SeededBody(seed: 12, size: 1_000_000)
        let script = OriginScript(
            Self.body, .on(.request(1), .cut(after: 2_000_000)), .on(.requests(2...), .version(changed)))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": LifecycleStep.restartCommitted.rawValue])
            let first = try #require(ferry.daemons.first)
            let result = try await ferry.run(["get", origin.url()])
            #expect(result.status == 0, "\(result)")
            #expect(!ferry.daemons.contains(first))
            try await expectOnce(ferry, changed)
        }
    }

    @Test func `D1 after a request was committed and before its answer still fetches it once`() async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": LifecycleStep.requestCommitted.rawValue])
            let result = try await ferry.run(["add", origin.url()])
            #expect(result.status == 14, "\(result)")
            #expect(result.stdout.isEmpty, "\(result)")
            try await ferry.waitForNoDaemon()
            try await ferry.startDaemon()
            let ids = try await ferry.list().map(\.id)
            #expect(try await ferry.run(["wait"] + ids).status == 0)
            try await expectOnce(ferry, Self.body)
        }
    }

    @Test func `D1 after a cancel was committed removes the partial file`() async throws {
        let script = OriginScript(Self.body, always: .stall(after: 2_000_000))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": LifecycleStep.cancelCommitted.rawValue])
            let first = try #require(ferry.daemons.first)
            let id = try await ferry.add(origin.url())
            await origin.waitForBytesSent(2_000_000)
            try await eventually("the partial file is there") { !ferry.contents.isEmpty }
            let result = try await ferry.run(["cancel", id])
            #expect(result.status == 0, "\(result)")
            #expect(!ferry.daemons.contains(first))
            #expect(ferry.contents.isEmpty)
            #expect(try await ferry.info(id).state == "canceled")
            #expect(try await ferry.durableEvents(id) == [.submitted, .canceled])
        }
    }

    @Test func `D1 after a removal was committed forgets the transfer and removes its partial file`() async throws {
        let script = OriginScript(Self.body, always: .stall(after: 2_000_000))
        try await withDaemon(script) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": LifecycleStep.actionCommitted.rawValue])
            let first = try #require(ferry.daemons.first)
            let id = try await ferry.add(origin.url())
            await origin.waitForBytesSent(2_000_000)
            try await eventually("the partial file is there") { !ferry.contents.isEmpty }
            _ = try await ferry.run(["remove", id])
            #expect(!ferry.daemons.contains(first))
            try await eventually("the transfer is gone") { try await ferry.list().isEmpty }
            #expect(ferry.contents.isEmpty)
        }
    }

    /// Checks that the file is whole and the only one, and that the completion was recorded once.
    private func expectOnce(_ ferry: DaemonFixture, _ body: SeededBody) async throws {
        #expect(ferry.contents == ["file.bin"])
        #expect(try ferry.sha256("file.bin") == body.sha256Hex)
        let transfers = try await ferry.list()
        #expect(transfers.map(\.state) == ["succeeded"])
        let id = try #require(transfers.first?.id)
        #expect(try await ferry.durableEvents(id) == [.submitted, .succeeded])
    }
}
