import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A daemon that dies in the middle of many` {
    private static let body = SeededBody(seed: 31, size: 1_000_000)
    private static let count = 2000
    private static let session = "app:many"
    /// One transfer has bytes and stalls. The others wait.
    private static let held = OriginScript(body, always: .stall(after: 400_000))

    private func batch(_ ferry: DaemonFixture, _ origin: ScriptedOrigin) throws -> TransferBatch {
        var template = TransferRequest(url: "", folder: ferry.folder)
        template.session = try SessionID(Self.session)
        return TransferBatch(
            templates: [template],
            items: (0..<Self.count).map { number in
                TransferBatch.Item(template: 0, url: origin.url("/\(number)"), name: "\(number)")
            })
    }

    /// Starts a daemon with one slot for the session and submits the batch.
    private func submit(_ ferry: DaemonFixture, _ origin: ScriptedOrigin) async throws -> [TransferID] {
        try await ferry.startDaemon()
        let batch = try batch(ferry, origin)
        let ids = try await ferry.withClient { client in
            _ = try await client.changeSession(SessionID(Self.session), to: SessionSettings(activeTransfers: 1))
            return try await client.submit(batch).results.compactMap(\.id)
        }
        await origin.waitForBytesSent(400_000)
        try await eventually("bytes are there") {
            try await ferry.withClient { try await $0.transfer(ids[0]).bytesReceived == 400_000 }
        }
        return ids
    }

    /// Submits the batch, restarts the daemon, and pauses the batch. The new daemon dies at the given step.
    private func pausedBatch(
        _ ferry: DaemonFixture, _ origin: ScriptedOrigin, dyingAt step: LifecycleStep
    ) async throws -> [TransferID] {
        let ids = try await submit(ferry, origin)
        let session = try SessionID(Self.session)
        try await ferry.withClient { _ = try await $0.act(.pause, in: session, on: nil) }
        try await ferry.killDaemon()
        try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
        return ids
    }

    /// Returns the number of the session's transfers in each state, once a new daemon runs.
    private func counts(_ ferry: DaemonFixture) async throws -> [String: Int] {
        try await ferry.waitForNoDaemon()
        try await ferry.startDaemon()
        return try await countsNow(ferry)
    }

    private func countsNow(_ ferry: DaemonFixture) async throws -> [String: Int] {
        try await ferry.withClient { client in
            let sessions = try await client.sessions()
            return sessions.first { $0.id.name == Self.session }?.transfers.filter { $0.value > 0 } ?? [:]
        }
    }

    @Test(arguments: [LifecycleStep.batchChecked, .requestCommitted])
    func `B1 has stored all of a batch or nothing`(step: LifecycleStep) async throws {
        try await withDaemon(Self.held) { ferry, origin in
            try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
            let batch = try batch(ferry, origin)
            let error = await #expect(throws: ServiceError.self) {
                try await ferry.withClient { _ = try await $0.submit(batch) }
            }
            #expect(error?.code == .daemonUnreachable)
            let counts = try await counts(ferry)
            #expect(counts.values.reduce(0, +) == (step == .batchChecked ? 0 : Self.count))
        }
    }

    @Test(arguments: [
        (LifecycleStep.actionBegins, SessionAction.pause), (.actionCommitted, .pause), (.actionBegins, .cancel),
        (.actionCommitted, .cancel), (.actionBegins, .removeWithFile), (.actionCommitted, .removeWithFile),
    ])
    func `B1 has done an action on all or on none`(step: LifecycleStep, action: SessionAction) async throws {
        try await withDaemon(Self.held) { ferry, origin in
            _ = try await submit(ferry, origin)
            try await ferry.killDaemon()
            try await ferry.startDaemon(["FERRY_KILL_AT": step.rawValue])
            await origin.waitForRequests(2)
            let session = try SessionID(Self.session)
            let error = await #expect(throws: ServiceError.self) {
                try await ferry.withClient { _ = try await $0.act(action, in: session, on: nil) }
            }
            #expect(error?.code == .daemonUnreachable)
            let counts = try await counts(ferry)
            switch (step, action) {
            case (.actionBegins, _):
                #expect((counts["waiting"] ?? 0) + (counts["running"] ?? 0) == Self.count)
            case (_, .pause):
                #expect(counts == ["suspended": Self.count])
            default:
                // A new daemon removes files and rows after its start.
                try await eventually("all transfers are gone") { try await countsNow(ferry).isEmpty }
                #expect(ferry.contents == [])
            }
        }
    }

    @Test(arguments: [LifecycleStep.actionBegins, .actionCommitted])
    func `B1 has started all or none, from their bytes`(step: LifecycleStep) async throws {
        try await withDaemon(Self.held) { ferry, origin in
            let ids = try await pausedBatch(ferry, origin, dyingAt: step)
            let session = try SessionID(Self.session)
            _ = await #expect(throws: ServiceError.self) {
                try await ferry.withClient { _ = try await $0.act(.start, in: session, on: nil) }
            }
            let counts = try await counts(ferry)
            if step == .actionBegins {
                #expect(counts == ["suspended": Self.count])
            } else {
                #expect((counts["waiting"] ?? 0) + (counts["running"] ?? 0) == Self.count)
                await origin.waitForRequests(2)
                #expect(origin.requests.last?.value("Range") == "bytes=400000-")
            }
            #expect(ids.count == Self.count)
        }
    }

    @Test(arguments: [LifecycleStep.batchChecked, .requestCommitted])
    func `B1 has stored new transfers and started existing ones, or nothing`(step: LifecycleStep) async throws {
        try await withDaemon(Self.held) { ferry, origin in
            let ids = try await pausedBatch(ferry, origin, dyingAt: step)
            var batch = try batch(ferry, origin)
            batch.items.each = (0..<Self.count).map { number in
                TransferBatch.Item(template: 0, url: origin.url("/new-\(number)"), name: "new-\(number)")
            }
            batch.starts = ids.map { TransferBatch.Start(id: $0, headers: [HeaderField(name: "X-A", value: "b")]) }
            let final = batch
            _ = await #expect(throws: ServiceError.self) {
                try await ferry.withClient { _ = try await $0.submit(final) }
            }
            let counts = try await counts(ferry)
            if step == .batchChecked {
                #expect(counts == ["suspended": Self.count])
            } else {
                #expect((counts["waiting"] ?? 0) + (counts["running"] ?? 0) == 2 * Self.count)
                await origin.waitForRequests(2)
                #expect(origin.requests.last?.value("Range") == "bytes=400000-")
                #expect(origin.requests.last?.value("X-A") == "b")
            }
        }
    }
}
