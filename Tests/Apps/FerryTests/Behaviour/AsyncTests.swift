import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Downloads with async and await` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, .on(.path("/held*"), .hold("go", at: .body(100_000))))

    @Test func `enqueue returns when the task is stored, and an id names one task`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec(fixture.origin.url("/held"))
            spec.id = DownloadTask.ID(rawValue: "one")
            let task = try await manager.enqueue(spec)
            let stored = try await fixture.stored()
            #expect(stored == 1)
            spec.url = try #require(URL(string: fixture.origin.url("/held-other")))
            #expect(try await manager.enqueue(spec) === task)
            #expect(manager.task(id: task.id) === task && manager.tasks == [task])
            #expect(manager.task(id: DownloadTask.ID(rawValue: "two")) == nil)
            spec.id = nil
            let other = try await manager.enqueue(spec)
            #expect(other !== task && other.id != task.id)
        }
    }

    @Test func `several tasks may have one URL`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let spec = try DownloadSpec(fixture.origin.url())
            let tasks = try await manager.enqueue([spec, spec, spec])
            #expect(Set(tasks).count == 3 && manager.tasks == tasks)
            #expect(manager.fetchTask(fixture.origin.url()) === tasks[0])
            let files = try await [tasks[0].value, tasks[1].value, tasks[2].value]
            #expect(Set(files).count == 3)
            for file in files { #expect(try FileDigest.sha256(file.path) == Self.body.sha256Hex) }
        }
    }

    @Test func `an array is aligned with its input, and all or nothing`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            var specs = try fixture.urls(4, "held").map { try DownloadSpec($0) }
            let tasks = try await manager.enqueue(specs)
            #expect(tasks.map(\.url) == specs.map(\.url) && manager.tasks == tasks)
            specs = try fixture.urls(3, "held-more").map { try DownloadSpec($0) }
            specs[1].destination = .file(try #require(URL(string: "http://example.org/no/file")))
            await #expect(throws: FerryError.self) { try await manager.enqueue(specs) }
            specs[1].destination = .cache()
            specs[2].headers = ["X-A": "two\r\nlines"]
            await #expect(throws: FerryError.self) { try await manager.enqueue(specs) }
            #expect(manager.tasks == tasks)
            let stored = try await fixture.stored()
            #expect(stored == 4)
        }
    }

    @Test func `text that is no URL or no absolute file is refused`() async throws {
        try await withFerry(Self.held) { fixture in
            #expect(throws: FerryError.self) { try DownloadSpec("nonsense") }
            let manager = fixture.manager()
            var spec = try DownloadSpec(fixture.origin.url("/held"))
            spec.destination = .file(try #require(URL(string: "http://example.org/file")))
            do throws(FerryError) {
                _ = try await manager.enqueue(spec)
                Issue.record("It is accepted.")
            } catch {
                guard case .invalidDestination = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(manager.tasks.isEmpty)
        }
    }

    @Test func `controls return when their effect is durable`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let tasks = try await manager.enqueue(fixture.urls(3, "held").map { try DownloadSpec($0) })
            for task in tasks { try await task.receives(1000) }
            try await tasks[0].suspend()
            #expect(tasks[0].status == .suspended)
            try await tasks[0].start()
            #expect([.waiting, .running].contains(tasks[0].status))
            try await tasks[1].cancel()
            #expect(tasks[1].status == .canceled)
            try await tasks[2].remove(completely: true)
            #expect(tasks[2].status == .removed && manager.tasks == [tasks[0]])
            try await manager.suspendAll()
            #expect(tasks[0].status == .suspended && manager.status == .suspended)
            try await manager.startAll()
            #expect(manager.status == .running)
            try await manager.cancelAll()
            #expect(tasks[0].status == .canceled)
            _ = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held")))
            try await manager.removeAll(completely: true)
            #expect(manager.status == .removed && manager.tasks.isEmpty)
            let stored = try await fixture.stored()
            #expect(stored == 0)
            await #expect(throws: FerryError.self) { try await tasks[1].start() }
        }
    }

    @Test func `events begin with the state, follow its changes and end`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 1)
            let holder = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held")))
            let task = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held-2")))
            #expect(task.status == .waiting)
            let early = Notes<DownloadEvent>()
            let earlyReading = try await early.follow(task)
            try await holder.cancel()
            try await task.receives(100_000)
            let late = Notes<DownloadEvent>()
            let lateReading = try await late.follow(task)
            try await task.suspend()
            try await task.start()
            try await task.receives(100_000)
            fixture.origin.release("go")
            _ = try await task.value
            await earlyReading.value
            let words = early.words
            #expect(words.first == "waiting" && words.last == "end succeeded")
            let states = words.filter { !$0.hasPrefix("response") && $0 != "willSuspend" }
            #expect(states.filter { $0 == "running" }.count == 2 && states.contains("suspended"))
            #expect(words.contains("response 200 +") || words.contains("response 206 +"))
            await lateReading.value
            #expect(late.words.first == "running" && late.words.last == "end succeeded")
            let after = Notes<DownloadEvent>()
            try await after.follow(task).value
            #expect(after.words == ["succeeded", "end succeeded"])
        }
    }

    @Test func `progress of events is the newest, and a slow observer misses no state`() async throws {
        try await withFerry(
            OriginScript(SeededBody(seed: 8, size: 3_000_000), always: .drip(bytes: 50_000, every: .milliseconds(5)))
        ) {
            fixture in
            let manager = fixture.manager()
            let task = try await manager.enqueue(DownloadSpec(fixture.origin.url()))
            let iterator = task.events.makeAsyncIterator()
            _ = try await task.value
            var events: [DownloadEvent] = []
            while let event = await iterator.next() { events.append(event) }
            // Unread events include at most the newest progress between two other events.
            var progressInRow = 0
            for event in events {
                if case .progress = event { progressInRow += 1 } else { progressInRow = 0 }
                #expect(progressInRow <= 1)
            }
            guard case .succeeded(let url)? = events.last else {
                Issue.record("\(events)")
                return
            }
            #expect(url.path == task.filePath)
        }
    }

    @Test(arguments: ["failed", "canceled", "removed"])
    func `events and value tell how a task has ended`(end: String) async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/held"), .hold("go", at: .head), .status(404)))) {
            fixture in
            let manager = fixture.manager()
            let task = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held")))
            let events = Notes<DownloadEvent>()
            let reading = try await events.follow(task)
            await fixture.origin.waitForHold("go")
            switch end {
            case "failed": fixture.origin.release("go")
            case "canceled": try await task.cancel()
            default: try await task.remove()
            }
            do throws(FerryError) {
                _ = try await task.value
                Issue.record("It has a value.")
            } catch {
                switch (error, end) {
                case (.unacceptableStatusCode(404), "failed"), (.canceled, "canceled"), (.removed, "removed"): break
                default: Issue.record("\(error)")
                }
            }
            await reading.value
            #expect(events.words.last == "end \(end)")
        }
    }

    @Test func `value waits through pauses`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 1)
            let task = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held")))
            let value = Task { try await task.value }
            try await task.receives(100_000)
            try await task.suspend()
            fixture.origin.release("go")
            try await task.start()
            let file = try await value.value
            #expect(file.path == task.filePath && task.digest == Self.body.sha256Hex)
            #expect(try await task.value == file)
        }
    }

    @Test func `cancelling the waiting Swift task ends the wait alone`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let task = try await manager.enqueue(DownloadSpec(fixture.origin.url("/held")))
            try await task.receives(100_000)
            let wait = Task { () -> String in
                do throws(FerryError) {
                    _ = try await task.value
                    return "value"
                } catch {
                    if case .canceled = error { return "canceled" }
                    return "\(error)"
                }
            }
            wait.cancel()
            #expect(await wait.value == "canceled")
            #expect(task.status == .running)
            fixture.origin.release("go")
            #expect(try await task.value.path == task.filePath)
        }
    }

    @Test func `download gives the file, and cancelling cancels the transfer`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let file = try await manager.download(from: fixture.origin.url("/a.bin"))
            #expect(try FileDigest.sha256(file.path) == Self.body.sha256Hex)
            let path = fixture.daemon.file("b/c.bin")
            let target = URL(fileURLWithPath: path)
            #expect(try await manager.download(from: fixture.origin.url("/b"), to: .file(target)).path == path)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            let url = fixture.origin.url("/held")
            let download = Task { () -> Bool in
                do throws(FerryError) {
                    _ = try await manager.download(from: url)
                    return false
                } catch {
                    if case .canceled = error { return true }
                    return false
                }
            }
            await fixture.origin.waitForHold("go")
            let task = try #require(manager.fetchTask(url))
            download.cancel()
            #expect(await download.value)
            try await task.reaches(.canceled)
            let stored = try await fixture.stored()
            #expect(stored == 2)
        }
    }

    @Test func `an unacceptable status or a wrong URL is thrown`() async throws {
        try await withFerry(OriginScript(Self.body, always: .status(404))) { fixture in
            let manager = fixture.manager()
            do throws(FerryError) {
                _ = try await manager.download(from: fixture.origin.url())
                Issue.record("It has a file.")
            } catch {
                guard case .unacceptableStatusCode(404) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            do throws(FerryError) {
                _ = try await manager.download(from: "nonsense")
                Issue.record("It has a file.")
            } catch {
                guard case .invalidURL = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test func `seed code keeps its meaning inside an async function`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = manager.download(fixture.origin.url())
            #expect(type(of: task) == DownloadTask?.self)
            let path = fixture.daemon.file("chain")
            let done = Notes<String>()
            manager.download(fixture.origin.url("/chain")) { _, _ in (URL(fileURLWithPath: path), []) }
                .response { done.add($0.destinationURL?.path ?? "") }
            let places = try await done.wait(count: 1)
            #expect(places == [path])
        }
    }

    @Test func `a folder takes the server's name, made harmless`() async throws {
        let script = OriginScript(Self.body, always: .disposition(#"attachment; filename="../../evil.sh""#))
        try await withFerry(script) { fixture in
            let folder = fixture.daemon.file("into")
            let url = URL(fileURLWithPath: folder)
            let file = try await fixture.manager().download(from: fixture.origin.url(), to: .directory(url))
            #expect(file.deletingLastPathComponent().path == folder && file.lastPathComponent.hasSuffix("evil.sh"))
            #expect(try FileDigest.sha256(file.path) == Self.body.sha256Hex)
        }
    }

    @Test func `a task does not begin before its date`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            var spec = try DownloadSpec(fixture.origin.url())
            let date = Date(timeIntervalSinceNow: 3600)
            spec.notBefore = date
            let task = try await manager.enqueue(spec)
            try await task.waits { reason in
                guard case .notBefore(let until) = reason else { return false }
                return abs(until.timeIntervalSince(date)) < 1
            }
            #expect(fixture.origin.requests.isEmpty)
        }
    }

    @Test func `progress under a tag is the sum of its tasks`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            var specs = try fixture.urls(3, "held").map { try DownloadSpec($0) }
            specs[0].tags = ["a"]
            specs[1].tags = ["a", "b"]
            let tasks = try await manager.enqueue(specs)
            for task in tasks { try await task.receives(100_000) }
            #expect(manager.tasks(taggedWith: "a") == [tasks[0], tasks[1]])
            let sum = manager.progress(taggedWith: "a")
            #expect(sum.receivedBytes == 200_000 && sum.expectedBytes == 600_000)
            #expect(manager.progress(taggedWith: "b").receivedBytes == 100_000)
            #expect(manager.progress(taggedWith: "c").receivedBytes == 0)
        }
    }
}
