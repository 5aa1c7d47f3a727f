import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Order and limits` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, .on(.path("/held*"), .hold("go", at: .body(1000))))

    @Test func `moving and sorting are stored and decide what starts next`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 1)
            let holder = try #require(manager.download(fixture.origin.url("/held")))
            try await holder.reaches(.running)
            let tasks = manager.multiDownload(fixture.urls(4))
            manager.moveTask(at: 4, to: 1)
            #expect(manager.tasks == [holder, tasks[3], tasks[0], tasks[1], tasks[2]])
            manager.tasksSort { first, second in
                first !== second && first === holder || first.url.path > second.url.path
            }
            let expected = [holder, tasks[3], tasks[2], tasks[1], tasks[0]]
            #expect(manager.tasks == expected)
            try await fixture.daemon.killDaemon()
            let later = await fixture.relaunch(limit: 1)
            #expect(later.tasks.map(\.id) == expected.map(\.id))
            fixture.origin.release("go")
            try await later.reaches(.succeeded)
            let paths = fixture.origin.requests.map(\.path).filter { $0 != "/held" }
            #expect(paths == expected.dropFirst().map(\.url.path))
        }
    }

    @Test(arguments: [(-1, 0), (0, -1), (3, 0), (0, 3)])
    func `a position out of range changes nothing and is logged`(from: Int, to: Int) async throws {
        try await withFerry(Self.held) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let tasks = manager.multiDownload(fixture.urls(3, "held"))
            manager.moveTask(at: from, to: to)
            #expect(manager.tasks == tasks)
            try await notes.wait("an entry") { $0.contains { $0.contains("index_out_of_range") } }
        }
    }

    @Test func `a higher priority starts first`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 1)
            let holder = try #require(manager.download(fixture.origin.url("/held")))
            try await holder.reaches(.running)
            let tasks = manager.multiDownload(fixture.urls(5))
            try await tasks[4].setPriority(10)
            try await tasks[2].setPriority(3)
            try await tasks[0].setPriority(-10)
            fixture.origin.release("go")
            try await manager.reaches(.succeeded)
            #expect(fixture.origin.requests.dropFirst().map(\.path) == [4, 2, 1, 3, 0].map { tasks[$0].url.path })
        }
    }

    private struct Refusal: Error {}

    @Test func `a comparator that throws leaves the order, and tasks added meanwhile stay last`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(4, "held"))
            #expect(throws: Refusal.self) { try manager.tasksSort { _, _ in throw Refusal() } }
            #expect(manager.tasks == tasks)
            var added: DownloadTask?
            var isSameThread = true
            let thread = pthread_self()
            manager.tasksSort { first, second in
                if added == nil { added = manager.download(fixture.origin.url("/held-0a")) }
                isSameThread = isSameThread && pthread_self() == thread
                return first.url.path > second.url.path
            }
            let last = try #require(added)
            #expect(manager.tasks == tasks.reversed() + [last] && isSameThread)
        }
    }

    @Test(arguments: [(1, 1), (3, 3), (0, 1), (-5, 1)])
    func `no more tasks run than the limit allows`(limit: Int, most: Int) async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: limit)
            let held = manager.multiDownload(fixture.urls(6, "held"))
            await fixture.origin.waitForRequests(most)
            for task in held.prefix(most) { try await task.reaches(.running) }
            // When this call completes, nothing else was about to start.
            try await answer { manager.suspend(held[5], handler: $0) }
            #expect(held.map(\.status) == (0..<6).map { $0 < most ? .running : $0 < 5 ? .waiting : .suspended })
            #expect(fixture.origin.requests.count == most)
            fixture.origin.release("go")
            for task in held.dropLast() { try await task.reaches(.succeeded) }
        }
    }

    @Test(arguments: [1, 0, -7])
    func `the limit for a host is kept within the limit for all`(limit: Int) async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 3) { $0.maxTasksPerHost = limit }
            let here = manager.multiDownload((0..<2).map { fixture.origin.url("/\($0)") })
            let there = manager.multiDownload((2..<4).map { fixture.origin.url("/\($0)", host: "localhost") })
            try await here[0].reaches(.running)
            try await there[0].reaches(.running)
            #expect(manager.count(.running) == 2 && manager.count(.waiting) == 2)
            await fixture.origin.waitForRequests(2)
            try await here[1].waits { $0 == .host }
            #expect(fixture.origin.facts.activeResponses == 2)
            fixture.origin.release("go")
            try await manager.reaches(.succeeded)
        }
    }

    enum Exit: String, CaseIterable {
        case success, failure, suspend, cancel, remove, backOff
    }

    @Test(arguments: Exit.allCases)
    func `a slot that gets free goes to the next task`(exit: Exit) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/first"), .hold("first", at: exit == .success ? .body(1000) : .head)),
            .on(.path(exit == .failure ? "/first" : "/none"), .status(404)),
            .on(.path(exit == .backOff ? "/first" : "/none"), .status(503, retryAfter: "3600")),
            .on(.path("/second"), .hold("never", at: .body(1000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 1)
            let first = try #require(manager.download(fixture.origin.url("/first")))
            // A busy server gets no other request for a while, so the other task uses another host name.
            let second = try #require(manager.download(fixture.origin.url("/second", host: "localhost")))
            await fixture.origin.waitForHold("first")
            #expect(second.status == .waiting)
            switch exit {
            case .success, .failure, .backOff: fixture.origin.release("first")
            case .suspend: manager.suspend(first)
            case .cancel: manager.cancel(first)
            case .remove: manager.remove(first)
            }
            try await second.reaches(.running)
            let expected: [Exit: Status] = [
                .success: .succeeded, .failure: .failed, .suspend: .suspended, .cancel: .canceled, .remove: .removed,
                .backOff: .waiting,
            ]
            try await first.reaches(try #require(expected[exit]))
        }
    }

    @Test func `raising the limit starts tasks, lowering it lets the last ones wait with their bytes`() async throws {
        let script = OriginScript(Self.body, .on(.pathRequests(...1), .hold("first", at: .body(100_000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(4))
            try await tasks[0].receives(100_000)
            manager.configuration.maxConcurrentTasksLimit = 3
            try await tasks[1].receives(100_000)
            try await tasks[2].receives(100_000)
            #expect(tasks.map(\.status) == [.running, .running, .running, .waiting])
            manager.configuration.maxConcurrentTasksLimit = 1
            try await tasks[1].waits { $0 == .slot }
            try await tasks[2].waits { $0 == .slot }
            #expect(tasks[0].status == .running && fixture.origin.requests.count == 3)
            fixture.origin.release("first")
            try await manager.reaches(.succeeded)
            for task in tasks { #expect(task.digest == Self.body.sha256Hex) }
            let ranges = tasks.map { task in
                fixture.origin.requests.filter { $0.path == task.url.path }.map { $0.value("Range") ?? "all" }
            }
            #expect(ranges == [["all"], ["all", "bytes=100000-"], ["all", "bytes=100000-"], ["all"]])
        }
    }
}
