import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Batches` {
    private static let body = FerryFixture.body
    private static let script = OriginScript(
        body, .on(.path("/held*"), .hold("go", at: .body(1000))), .on(.path("/bad*"), .status(404)))

    @Test func `a batch is stored whole when its call returns`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 2)
            let urls = fixture.urls(300, "held")
            let tasks = manager.multiDownload(urls, fileNames: urls.indices.map { "name-\($0)" })
            try await fixture.daemon.killDaemon()
            let later = await fixture.relaunch(limit: 2)
            #expect(later.tasks.map(\.id) == tasks.map(\.id))
            #expect(later.tasks.map(\.fileName) == urls.indices.map { "name-\($0)" })
        }
    }

    @Test func `headers of a batch go with their URLs`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let urls = fixture.urls(5)
            manager.multiDownload(urls, headersArray: urls.map { ["X-Url": $0] })
            try await manager.reaches(.succeeded)
            #expect(fixture.origin.requests.count == 5)
            #expect(fixture.origin.requests.allSatisfy { $0.value("X-Url")?.hasSuffix($0.path) == true })
        }
    }

    /// Returns a running, a waiting, a suspended, a failed and a succeeded task, in this order.
    private func oneOfEach(_ manager: SessionManager, _ fixture: FerryFixture) async throws -> [DownloadTask] {
        let ended = manager.multiDownload([fixture.origin.url("/bad"), fixture.origin.url("/good")])
        try await ended[0].reaches(.failed)
        try await ended[1].reaches(.succeeded)
        let held = manager.multiDownload(fixture.urls(3, "held"))
        try await answer { manager.suspend(held[2], handler: $0) }
        try await held[0].reaches(.running)
        #expect(held[1].status == .waiting)
        return held + ended
    }

    @Test func `starting all starts all that have not succeeded`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = try await oneOfEach(manager, fixture)
            let statuses = Notes<[Status]>()
            manager.totalStart { _ in statuses.add(tasks.map(\.status)) }
            let seen = try await statuses.wait(count: 1)
            #expect(seen == [[.running, .waiting, .waiting, .waiting, .succeeded]])
        }
    }

    @Test func `suspending all suspends the running and waiting ones`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = try await oneOfEach(manager, fixture)
            try await answer { manager.totalSuspend(handler: $0) }
            #expect(tasks.map(\.status) == [.suspended, .suspended, .suspended, .failed, .succeeded])
            #expect(manager.status == .suspended)
        }
    }

    @Test func `canceling all cancels the tasks that have not succeeded`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = try await oneOfEach(manager, fixture)
            try await answer { manager.totalCancel(handler: $0) }
            #expect(tasks.map(\.status) == [.canceled, .canceled, .canceled, .canceled, .succeeded])
            #expect(manager.tasks == [tasks[4]] && tasks[4].hasFile && manager.status == .canceled)
            let stored = try await fixture.stored()
            #expect(stored == 1)
        }
    }

    @Test(arguments: [true, false])
    func `removing all removes all, and the files if it is to be complete`(completely: Bool) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = try await oneOfEach(manager, fixture)
            try await answer { manager.totalRemove(completely: completely, handler: $0) }
            #expect(tasks.allSatisfy { $0.status == .removed } && manager.tasks.isEmpty)
            #expect(tasks[4].hasFile == !completely && manager.status == .removed)
            #expect(try FileManager.default.contentsOfDirectory(atPath: manager.cache.downloadTmpPath).isEmpty)
            let stored = try await fixture.stored()
            #expect(stored == 0)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `the handler of a batch comes after the callbacks of tasks and manager`(
        closuresOnMain: Bool, handlerOnMain: Bool
    ) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(6, "held"))
            let told = Notes<String>()
            for task in tasks {
                try await task.reaches(.running)
                told.observe(task, onMainQueue: closuresOnMain)
            }
            told.observe(manager, onMainQueue: closuresOnMain)
            manager.totalSuspend(onMainQueue: handlerOnMain) { _ in
                told.add("handler \(tasks.allSatisfy { $0.status == .suspended })")
            }
            try await told.wait("the handler") { $0.contains { $0.hasPrefix("handler") } }
            let expected =
                Array(repeating: "task failure suspended", count: 6)
                + ["manager failure suspended", "handler true"]
            #expect(told.ends == expected)
        }
    }

    /// docs/behaviour/session-manager.md#B1: aligned results, and one transaction.
    @Test func `a batch of new, known, repeated and invalid URLs does what each of them means`() async throws {
        try await withFerry(Self.script) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(limit: 1, logger: NotingLogger(notes: notes))
            // Running, waiting, suspended, failed, succeeded.
            let tasks = try await oneOfEach(manager, fixture)
            let told = Notes<String>()
            for (index, task) in tasks.enumerated() { told.observe(task, as: "\(index)") }
            try await told.wait("ends of before") { told in
                told.contains("4 success succeeded") && told.contains("3 failure failed")
            }
            let new = fixture.urls(2, "held-new")
            let known = tasks.map(\.url.absoluteString)
            let urls = [new[0], known[0], "no url", known[1], known[2], known[2], known[3], known[4], new[1]]
            let fields = urls.map { $0 == known[2] ? ["X-A": "b"] : [:] }
            let before = manager.tasks
            let statuses = Notes<[Status]>()
            let result = manager.multiDownload(urls, headersArray: fields) { manager in
                statuses.add(tasks.map(\.status) + manager.tasks.suffix(2).map(\.status))
            }
            try #require(result.count == 7)
            #expect(Array(result[1...5]) == Array(tasks[0...4]))
            #expect(result[0].url.absoluteString == new[0] && result[6].url.absoluteString == new[1])
            #expect(manager.tasks == before + [result[0], result[6]])
            let seen = try await statuses.wait(count: 1)
            #expect(seen == [[.running, .waiting, .waiting, .waiting, .succeeded, .waiting, .waiting]])
            try await told.wait("the success is told again") { $0.count { $0 == "4 success succeeded" } == 2 }
            for word in ["duplicate_url", "invalid_url"] {
                try await notes.wait(word) { $0.contains { $0.contains(word) } }
            }
            let later = await fixture.relaunch(limit: 7)
            #expect(later.tasks.map(\.id) == manager.tasks.map(\.id))
            fixture.origin.release("go")
            for task in later.tasks where task.url != tasks[3].url { try await task.reaches(.succeeded) }
            let path = tasks[2].url.path
            #expect(fixture.origin.requests.filter { $0.path == path }.compactMap { $0.value("X-A") } == ["b"])
        }
    }

    @Test func `the handler of a batch comes also when nothing had to change`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager()
            for call in [manager.totalStart, manager.totalSuspend, manager.totalCancel] {
                let seen = try await answer { call(true, $0) }
                #expect(seen === manager)
            }
            let first = try await answer { manager.totalRemove(handler: $0) }
            #expect(first === manager)
            let second = try await answer { manager.multiDownload([], handler: $0) }
            #expect(second === manager)
        }
    }

    @Test(arguments: ["headers", "names"])
    func `lists that do not match store nothing`(which: String) async throws {
        try await withFerry(Self.script) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let urls = fixture.urls(3)
            let results = Notes<Int>()
            let seen = try await answer { handler in
                let tasks =
                    which == "headers"
                    ? manager.multiDownload(urls, headersArray: [["a": "b"]], handler: handler)
                    : manager.multiDownload(urls, fileNames: ["one", "two"], handler: handler)
                results.add(tasks.count)
            }
            #expect(seen === manager && results.all == [0] && manager.tasks.isEmpty)
            let word = which == "headers" ? "headers_match_failed" : "file_names_match_failed"
            try await notes.wait(word) { $0.contains { $0.contains(word) } }
            let stored = try await fixture.stored()
            #expect(stored == 0)
            #expect(manager.multiDownload(urls, headersArray: [], fileNames: []).count == 3)
        }
    }

    @Test func `canceling all and adding again, over and over, finishes all`() async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager(limit: 2)
            let urls = fixture.urls(3, "held")
            for _ in 0..<20 {
                manager.multiDownload(urls)
                manager.totalCancel()
            }
            let tasks = manager.multiDownload(urls)
            fixture.origin.release("go")
            for task in tasks { try await task.reaches(.succeeded) }
            #expect(manager.tasks == tasks)
        }
    }
}
