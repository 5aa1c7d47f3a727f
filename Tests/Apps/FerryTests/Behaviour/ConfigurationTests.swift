import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Configuration of a manager` {
    private static let body = FerryFixture.body

    @Test func `a new configuration is readable, and does not affect running tasks`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(2))
            for task in tasks { try await task.receives(100_000) }
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 33
            configuration.timeoutIntervalForResource = 4444
            configuration.maxConcurrentTasksLimit = 9
            configuration.maxTasksPerHost = 8
            configuration.allowsCellularAccess = true
            configuration.acceptableStatusCodes = 200..<400
            configuration.fileConflictPolicy = .replace
            configuration.checksumMismatchPolicy = .fail
            manager.configuration = configuration
            #expect(manager.configuration == configuration)
            manager.configuration.maxConcurrentTasksLimit = 5
            #expect(manager.configuration.maxConcurrentTasksLimit == 5)
            #expect(manager.configuration.timeoutIntervalForRequest == 33)
            fixture.origin.release("go")
            try await manager.reaches(.succeeded)
            #expect(fixture.origin.requests.count == 2)
        }
    }

    /// A regression: the session was a separate one, without the identifier, which apps unwrap, and without tasks.
    @Test func `G4 a manager's session shows its configuration, its identifier and its downloads`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(100_000)))) { fixture in
            let manager = fixture.manager { $0.timeoutIntervalForRequest = 33 }
            let session = manager.session
            #expect(session.configuration.identifier == fixture.identifier)
            #expect(session.configuration.timeoutIntervalForRequest == 33)
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.receives(100_000)
            let shown = try #require(await session.allTasks.first as? URLSessionDownloadTask)
            #expect(shown.originalRequest?.url == task.url && shown.state == .running)
            #expect(shown.countOfBytesReceived == 100_000)
            #expect(await session.allTasks == [shown])
            shown.suspend()
            try await task.reaches(.suspended)
            #expect(await session.allTasks.first?.state == .suspended)
            shown.cancel()
            try await eventually("the download is canceled") { task.status == .canceled }
            #expect(await session.allTasks.isEmpty && shown.state == .completed)
            manager.invalidate()
        }
    }

    @Test func `a download in the next statement uses the new configuration`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            try fixture.setConditions(#"{"includesLoopback": true, "cellular": true}"#)
            let manager = fixture.manager(limit: 1) { $0.allowsCellularAccess = false }
            let first = try #require(manager.download(fixture.origin.url("/1")))
            try await first.waits { $0 == .networkPolicy }
            manager.configuration.allowsCellularAccess = true
            manager.configuration.maxConcurrentTasksLimit = 2
            manager.configuration.acceptableStatusCodes = 400..<500
            let second = try #require(manager.download(fixture.origin.url("/2")))
            try await first.reaches(.running)
            try await second.reaches(.running)
            fixture.origin.release("go")
            try await second.reaches(.failed)
        }
    }

    @Test func `a stricter network policy makes running tasks wait, a looser one resumes from their bytes`()
        async throws
    {
        let script = OriginScript(Self.body, .on(.pathRequests(...1), .hold("never", at: .body(100_000))))
        try await withFerry(script) { fixture in
            try fixture.setConditions(#"{"includesLoopback": true, "expensive": true}"#)
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            told.observe(task)
            try await task.receives(100_000)
            manager.configuration.allowsExpensiveNetworkAccess = false
            try await task.waits { $0 == .networkPolicy }
            manager.configuration.allowsExpensiveNetworkAccess = true
            try await told.wait(for: "task success succeeded")
            #expect(told.ends.count == 1 && fixture.origin.requests.last?.value("Range") == "bytes=100000-")
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `a new request timeout holds from the next request`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(100_000))))) { fixture in
            let manager = fixture.manager { $0.timeoutIntervalForRequest = 600 }
            let task = try #require(manager.download(fixture.origin.url("/1")))
            try await task.receives(100_000)
            fixture.origin.script = OriginScript(Self.body, .on(.request(1), .stall(after: 100_000)))
            manager.configuration.timeoutIntervalForRequest = 1
            try await task.suspend()
            try await task.start()
            try await task.reaches(.succeeded)
            #expect(fixture.origin.requests.map { $0.value("Range") } == [nil, "bytes=100000-", "bytes=200000-"])
        }
    }

    @Test func `a rate limit slows a running transfer, and its end lets it go`() async throws {
        let body = SeededBody(seed: 4, size: 50_000_000)
        try await withFerry(OriginScript(body, .always(.throttle(bytesPerSecond: 20_000_000)))) { fixture in
            let manager = fixture.manager { $0.maxBytesPerSecond = 1_000_000 }
            let task = try #require(manager.download(fixture.origin.url()))
            try await eventually("the rate is that of the first limit") { (800_000...1_200_000).contains(task.speed) }
            manager.configuration.maxBytesPerSecond = 100_000
            try await eventually("the rate is that of the limit") { (50_000...150_000).contains(task.speed) }
            #expect(task.progress.completedUnitCount < 20_000_000 && fixture.origin.requests.count == 1)
            manager.configuration.maxBytesPerSecond = nil
            try await task.reaches(.succeeded)
            #expect(task.digest == body.sha256Hex)
        }
    }

    @Test func `the total limit ends a task that makes no progress`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager { $0.timeoutIntervalForResource = 1 }
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            guard case .resourceTimeout? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
        }
    }
}
