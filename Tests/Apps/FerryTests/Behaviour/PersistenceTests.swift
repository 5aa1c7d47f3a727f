import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Persistence` {
    private static let body = FerryFixture.body

    @Test func `a new manager has all tasks with their order and states at once`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/held*"), .hold("held", at: .body(1000))), .on(.path("/bad"), .status(404)))
        try await withFerry(script) { fixture in
            let first = fixture.manager(limit: 2)
            let good = try #require(first.download(fixture.origin.url("/good"), fileName: "good.bin"))
            let bad = try #require(first.download(fixture.origin.url("/bad")))
            try await good.reaches(.succeeded)
            try await bad.reaches(.failed)
            let held = first.multiDownload(fixture.urls(4, "held"))
            try await held[0].reaches(.running)
            try await answer { first.suspend(held[3], handler: $0) }
            try await held[1].reaches(.running)
            first.moveTask(at: 5, to: 0)
            let second = await fixture.relaunch(limit: 2)
            #expect(second.tasks.map(\.id) == first.tasks.map(\.id))
            #expect(second.tasks.map(\.status) == [.suspended, .succeeded, .failed, .running, .running, .waiting])
            #expect(second.succeededTasks.map(\.id) == [good.id] && second.status == .running)
            let goodAgain = try #require(second.fetchTask(good.url))
            #expect(goodAgain.fileName == "good.bin" && goodAgain.filePath == good.filePath)
            #expect(goodAgain.progress.fractionCompleted == 1 && goodAgain.endDate == good.endDate)
            let badAgain = try #require(second.fetchTask(bad.url))
            #expect(badAgain.error != nil && badAgain.response?.statusCode == 404)
        }
    }

    /// docs/behaviour/session-manager.md#P1
    @Test func `a task is stored with all that has become of it`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/from"), .redirect(to: "/to")), .always(.field("X-A", "b")),
            .on(.path("/held"), .hold("never", at: .body(1000))))
        try await withFerry(script) { fixture in
            let first = fixture.manager()
            let done = try #require(first.download(fixture.origin.url("/from")))
            try await done.reaches(.succeeded)
            try await answer { done.validateFile(code: Self.body.md5Hex, type: .md5, handler: $0) }
            let held = try #require(first.download(fixture.origin.url("/held")))
            try await held.receives(1000)
            try await held.suspend()
            let second = await fixture.relaunch()
            let again = try #require(second.fetchTask(done.url))
            #expect(again.url.path == "/from" && again.currentURL == done.currentURL && again.currentURL.path == "/to")
            #expect(again.startDate == done.startDate && again.endDate == done.endDate && again.startDate > 0)
            #expect(again.response?.statusCode == 200 && again.response?.value(forHTTPHeaderField: "X-A") == "b")
            #expect(again.validation == .correct && again.error == nil && again.filePath == done.filePath)
            let paused = try #require(second.fetchTask(held.url))
            #expect(paused.progress.completedUnitCount == 1000 && paused.progress.totalUnitCount == 300_000)
            #expect(paused.startDate == held.startDate && paused.response?.statusCode == 200)
        }
    }

    @Test func `a task is stored with all that was asked`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/holder"), .hold("go", at: .body(1000))))) { fixture in
            let first = fixture.manager(limit: 1)
            first.download(fixture.origin.url("/holder"))
            var spec = try DownloadSpec(fixture.origin.url("/spec"))
            spec.id = DownloadTask.ID(rawValue: "my-id")
            spec.method = .post
            spec.headers = ["X-A": "b"]
            spec.body = Data("hello".utf8)
            spec.destination = .file(URL(fileURLWithPath: fixture.daemon.file("deep/er/report.bin")))
            spec.checksum = Checksum(.sha256, Self.body.sha256Hex)
            spec.metadata = ["title": "A film", "page": "3"]
            spec.tags = ["films", "new"]
            let task = try await first.enqueue(spec)
            #expect(task.id.rawValue == "my-id")
            try await fixture.daemon.killDaemon()
            let second = await fixture.relaunch(limit: 1)
            let again = try #require(second.task(id: DownloadTask.ID(rawValue: "my-id")))
            #expect(again.metadata == spec.metadata && again.tags == spec.tags && again.url == spec.url)
            #expect(second.tasks(taggedWith: "films") == [again] && second.tasks(taggedWith: "other").isEmpty)
            fixture.origin.release("go")
            try await again.reaches(.succeeded)
            let request = try #require(fixture.origin.requests.last { $0.path == "/spec" })
            #expect(request.method == "POST" && request.value("X-A") == "b" && request.body == Array("hello".utf8))
            #expect(again.filePath == fixture.daemon.file("deep/er/report.bin") && again.validation == .correct)
            #expect(again.digest == Self.body.sha256Hex)
        }
    }

    @Test func `transfers go on after the daemon was killed`() async throws {
        let script = OriginScript(Self.body, .on(.pathRequests(...1), .hold("never", at: .body(150_000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager(limit: 2)
            let tasks = manager.multiDownload(fixture.urls(4))
            let told = Notes<String>()
            for (index, task) in tasks.enumerated() { told.observe(task, as: "\(index)") }
            try await tasks[0].receives(150_000)
            try await tasks[1].receives(150_000)
            try await fixture.daemon.killDaemon()
            fixture.origin.script = OriginScript(Self.body)
            try await fixture.daemon.startDaemon()
            try await told.wait("all succeed") { $0.count { $0.hasSuffix("success succeeded") } == 4 }
            #expect(told.ends.count == 4 && manager.status == .succeeded)
            for task in tasks { #expect(task.digest == Self.body.sha256Hex) }
        }
    }

    @Test func `a paused task resumes from its bytes after the daemon was killed`() async throws {
        let script = OriginScript(Self.body, .on(.request(1), .hold("never", at: .body(150_000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.receives(150_000)
            try await task.suspend()
            try await fixture.daemon.killDaemon()
            #expect(task.status == .suspended && task.progress.completedUnitCount == 150_000)
            try await task.start()
            try await task.reaches(.succeeded)
            #expect(fixture.origin.requests.last?.value("Range") == "bytes=150000-")
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `managers of one identifier show the same tasks, and the last configuration holds`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let first = fixture.manager(limit: 1)
            let second = fixture.manager(limit: 3)
            let tasks = first.multiDownload(fixture.urls(3))
            for task in tasks { try await task.reaches(.running) }
            try await eventually("the second manager shows the tasks") {
                second.tasks.map(\.id) == tasks.map(\.id) && second.tasks.allSatisfy { $0.status == .running }
            }
            let told = Notes<String>()
            told.observe(first, as: "first")
            told.observe(second, as: "second")
            try await answer { second.totalSuspend(handler: $0) }
            try await told.wait("both are told") {
                $0.contains("first failure suspended") && $0.contains("second failure suspended")
            }
            #expect(first.tasks.allSatisfy { $0.status == .suspended })
            second.moveTask(at: 2, to: 0)
            try await eventually("the order is the same") { first.tasks.map(\.id) == second.tasks.map(\.id) }
            #expect(first.tasks.map(\.id) == [2, 0, 1].map { tasks[$0].id })
        }
    }

    @Test func `other identifiers have other tasks`() async throws {
        try await withFerry { fixture in
            let first = fixture.manager(identifier: "first")
            let second = fixture.manager(identifier: "second", cache: fixture.cache("other"))
            let url = fixture.origin.url()
            let task = try #require(first.download(url))
            try await task.reaches(.succeeded)
            #expect(second.tasks.isEmpty && second.fetchTask(url) == nil && second.status == .waiting)
            let own = try #require(second.download(url))
            try await own.reaches(.succeeded)
            #expect(own.filePath != task.filePath && fixture.origin.requests.count == 2)
            try await answer { second.totalRemove(completely: true, handler: $0) }
            #expect(task.hasFile && first.tasks == [task])
        }
    }

    @Test func `a released manager stops nothing, and its closures still run`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let told = Notes<String>()
            func begin() throws {
                let manager = fixture.make {
                    SessionManager(
                        fixture.identifier, configuration: FerryFixture.configuration(), logger: SilentLogger(),
                        cache: fixture.cache())
                }
                let task = try #require(manager.download(fixture.origin.url()))
                told.observe(task)
                told.observe(manager)
            }
            try begin()
            try await told.wait(for: "task progress 100000")
            fixture.origin.release("go")
            try await told.wait(for: "task success succeeded")
            try await told.wait(for: "manager success succeeded")
            #expect(fixture.manager().tasks.map(\.status) == [.succeeded])
            #expect(fixture.origin.requests.count == 1)
        }
    }

    @Test func `invalidating a manager stops nothing`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let first = fixture.manager()
            let task = try #require(first.download(fixture.origin.url()))
            try await task.receives(100_000)
            first.invalidate()
            let second = fixture.manager()
            #expect(second.tasks.map(\.id) == [task.id])
            fixture.origin.release("go")
            try await second.reaches(.succeeded)
            #expect(fixture.origin.requests.count == 1)
        }
    }

    @Test func `ends without a process are reported once to the next manager`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/good"), .hold("go", at: .body(1000))),
            .on(.path("/bad"), .hold("go", at: .head), .status(404)))
        try await withFerry(script) { fixture in
            fixture.manager().multiDownload([fixture.origin.url("/good"), fixture.origin.url("/bad")])
            await fixture.leave()
            fixture.origin.release("go")
            try await fixture.waitForEnds(2)
            let told = Notes<String>()
            let manager = fixture.manager()
            for task in manager.tasks { told.observe(task, as: task.url.lastPathComponent) }
            try await told.wait(for: "good success succeeded")
            try await told.wait(for: "bad failure failed")
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.ends.count == 2)
        }
    }
}
