import Ferry
import FerryTesting
import Foundation
import SeedKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `A daemon that dies` {
    /// Number of kills. FERRY_KILLS sets another number, such as 1,000 for a long run.
    private static let kills = ProcessInfo.processInfo.environment["FERRY_KILLS"].flatMap { Int($0) } ?? 25

    /// A task that `download` returned is stored, so a crash at the wrong moment must not make it vanish from the list.
    @Test func `at any moment loses no task`() async throws {
        let body = SeededBody(seed: 85, size: 40_000)
        try await withFerry(OriginScript(body, always: .throttle(bytesPerSecond: 400_000))) { fixture in
            let manager = fixture.manager(limit: 3)
            var random = SplitMix(seed: 85)
            var stored: Set<DownloadTask> = []
            for kill in 0..<Self.kills {
                try await eventually("a daemon runs") { !fixture.daemon.daemons.isEmpty }
                let urls = fixture.urls(4, "round-\(kill)")
                // Calls and kills overlap, so the next daemon handles some of the calls.
                async let downloads = Self.use(manager, urls)
                let bytes = Int64.random(in: 0..<60_000, using: &random)
                await fixture.origin.waitForBytesSent(fixture.origin.bytesSent + (kill % 3 == 0 ? 0 : bytes))
                try? await fixture.daemon.killDaemon()
                stored.formUnion(await downloads.filter { $0.error == nil })
                let missing = stored.subtracting(manager.tasks)
                #expect(missing.isEmpty, "after \(kill) deaths: \(missing.map(\.url.path))")
            }
            try await answer { manager.totalStart(handler: $0) }
            try await eventually(within: .seconds(600)) { manager.tasks.allSatisfy { $0.status == .succeeded } }
            #expect(stored.isSubset(of: manager.tasks) && stored.count >= Self.kills)
            #expect(stored.allSatisfy { $0.digest == body.sha256Hex })
            #expect(try await fixture.stored() == manager.tasks.count)
        }
    }

    /// Makes downloads, pauses, starts and changes of order.
    @concurrent private static func use(_ manager: SessionManager, _ urls: [String]) async -> [DownloadTask] {
        let tasks = [manager.download(urls[0])].compactMap(\.self) + manager.multiDownload(Array(urls.dropFirst()))
        manager.suspend(urls[1])
        manager.start(urls[1])
        manager.moveTask(at: manager.tasks.count - 1, to: 0)
        return tasks
    }
}
