import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct `A network that` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, .on(.request(1), .hold("never", at: .body(200_000))))

    /// A task started without a network must wait and then resume, rather than fail or lose its partial file.
    @Test func `is gone when a task is started keeps its bytes and its place`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            told.observe(task)
            try await task.receives(200_000)
            try fixture.setConditions(#"{"reachable": false, "includesLoopback": true}"#)
            try await answer { manager.suspend(task, handler: $0) }
            try await answer { manager.start(task, handler: $0) }
            try await task.waits { $0 == .network }
            #expect(task.progress.completedUnitCount == 200_000 && manager.tasks == [task])
            try fixture.setConditions("{}")
            try await told.wait(for: "task success succeeded")
            #expect(fixture.origin.requests.map { $0.value("Range") } == [nil, "bytes=200000-"])
            #expect(told.ends == ["task failure suspended", "task success succeeded"])
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    /// Cellular data may cost the user money, and a task that waits without a stated reason looks stuck.
    @Test func `is cellular is not used unless it is allowed, which shows`() async throws {
        try await withFerry { fixture in
            try fixture.setConditions(#"{"cellular": true, "includesLoopback": true}"#)
            let manager = fixture.make {
                SessionManager(
                    fixture.identifier, configuration: SessionConfiguration(), logger: SilentLogger(),
                    cache: fixture.cache())
            }
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.waits { $0 == .networkPolicy }
            #expect(fixture.origin.requests.isEmpty)
            manager.configuration.allowsCellularAccess = true
            try await task.reaches(.succeeded)
            manager.invalidate()
        }
    }

    /// The limit applies to all tasks together, not to each one. A benchmark checks that the rate is reached.
    @Test func `is limited brings no more than the limit`() async throws {
        let body = SeededBody(seed: 84, size: 1_500_000)
        try await withFerry(OriginScript(body)) { fixture in
            let manager = fixture.manager { $0.maxBytesPerSecond = 500_000 }
            let start = ContinuousClock.now
            let tasks = manager.multiDownload(fixture.urls(2))
            for task in tasks { try await task.reaches(.succeeded) }
            // The first of six seconds of bytes may arrive at once.
            #expect(start.duration(to: .now) > .seconds(4.4))
            #expect(tasks.allSatisfy { $0.digest == body.sha256Hex })
        }
    }
}
