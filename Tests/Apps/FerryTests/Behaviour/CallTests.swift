import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls` {
    private static let body = FerryFixture.body

    @Test(arguments: [
        "", "file", "/file.bin", "ftp://host/file", "file:///etc/passwd", "http://", "http:///file", "https:",
    ])
    func `a download of anything but an http URL with a host is nil`(text: String) async throws {
        try await withFerry { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let seen = Notes<DownloadTask>()
            let none = manager.download(text) { seen.add($0) }
            #expect(none == nil)
            let task = try await seen.wait(count: 1)[0]
            guard case .invalidURL? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(manager.tasks.isEmpty && manager.fetchTask(text) == nil)
            try await notes.wait("a log entry") { $0.contains { $0.contains("invalid_url") } }
            let stored = try await fixture.stored()
            #expect(stored == 0)
        }
    }

    @Test func `URLs, strings and components are URLs`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            let text = fixture.origin.url("/a?b=c")
            let task = try #require(manager.download(text))
            let url = try #require(URL(string: text))
            #expect(manager.download(url) === task)
            #expect(manager.download(try #require(URLComponents(string: text))) === task)
            #expect(task.url == url && manager.tasks == [task])
        }
    }

    @Test func `a download is stored when the call returns`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await fixture.daemon.killDaemon()
            let later = await fixture.relaunch()
            #expect(later.tasks.map(\.id) == [task.id] && later.tasks.map(\.url.absoluteString) == [url])
        }
    }

    @Test func `one URL is one task`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            let urls = fixture.urls(3)
            let tasks = manager.multiDownload(urls)
            #expect(manager.download(urls[1]) === tasks[1])
            #expect(manager.fetchTask(urls[1]) === tasks[1])
            #expect(manager.multiDownload(urls) == tasks && manager.tasks == tasks)
            let stored = try await fixture.stored()
            #expect(stored == 3)
        }
    }

    @Test func `a second download keeps headers that it does not give, and replaces others`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/holder"), .hold("go", at: .body(1000))))) { fixture in
            let manager = fixture.manager(limit: 1)
            manager.download(fixture.origin.url("/holder"))
            let urls = fixture.urls(3)
            for url in urls { manager.download(url, headers: ["X-A": "first"], fileName: "name-\(url.suffix(5))") }
            manager.download(urls[1], headers: ["X-A": "second"])
            manager.download(urls[2])
            fixture.origin.release("go")
            for task in manager.tasks { try await task.reaches(.succeeded) }
            let sent = urls.map { url in
                fixture.origin.requests.first { url.hasSuffix($0.path) }?.value("X-A")
            }
            #expect(sent == ["first", "second", "first"])
            #expect(manager.tasks.dropFirst().map(\.fileName) == ["name-0.bin", "name-1.bin", "name-2.bin"])
        }
    }

    @Test func `a new name renames the finished file`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url, fileName: "old.bin"))
            try await task.reaches(.succeeded)
            let old = task.filePath
            try await answer { manager.download(url, fileName: "new.bin", handler: $0) }
            #expect(task.fileName == "new.bin" && task.filePath != old && task.pathExtension == "bin")
            #expect(!FileManager.default.fileExists(atPath: old) && task.digest == Self.body.sha256Hex)
            #expect(fixture.origin.requests.count == 1 && task.status == .succeeded)
            #expect(await fixture.relaunch().fetchTask(url)?.fileName == "new.bin")
        }
    }

    @Test func `a batch has one task for each URL, in their order, and none for a text that is no URL`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let good = fixture.urls(3)
            let tasks = manager.multiDownload([good[0], "nonsense", good[1], good[0], good[2]])
            #expect(tasks.map(\.url.absoluteString) == good && manager.tasks == tasks)
            for word in ["duplicate_url", "invalid_url"] {
                try await notes.wait(word) { $0.contains { $0.contains(word) } }
            }
        }
    }

    enum Control: String, CaseIterable {
        case start, suspend, cancel, remove
    }

    private func control(
        _ control: Control, _ url: String, _ manager: SessionManager, onMainQueue: Bool = true,
        _ handler: @escaping Handler<DownloadTask>
    ) {
        switch control {
        case .start: manager.start(url, onMainQueue: onMainQueue, handler: handler)
        case .suspend: manager.suspend(url, onMainQueue: onMainQueue, handler: handler)
        case .cancel: manager.cancel(url, onMainQueue: onMainQueue, handler: handler)
        case .remove: manager.remove(url, onMainQueue: onMainQueue, handler: handler)
        }
    }

    private func control(
        _ control: Control, _ task: DownloadTask?, _ manager: SessionManager, _ handler: @escaping Handler<DownloadTask>
    ) {
        switch control {
        case .start: manager.start(task, handler: handler)
        case .suspend: manager.suspend(task, handler: handler)
        case .cancel: manager.cancel(task, handler: handler)
        case .remove: manager.remove(task, handler: handler)
        }
    }

    @Test(arguments: Control.allCases)
    func `a call for an unknown task changes nothing and calls its handler`(call: Control) async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let known = try #require(manager.download(fixture.origin.url("/known")))
            let unknown = try await answer { control(call, "http://example.org/unknown", manager, $0) }
            #expect(unknown.status == .removed && unknown.url.absoluteString == "http://example.org/unknown")
            guard case .fetchDownloadTaskFailed("http://example.org/unknown")? = unknown.ferryError else {
                Issue.record("\(String(describing: unknown.error))")
                return
            }
            let invalid = try await answer { control(call, "no URL at all", manager, $0) }
            #expect(invalid.status == .removed)
            guard case .invalidURL? = invalid.ferryError else {
                Issue.record("\(String(describing: invalid.error))")
                return
            }
            let none = try await answer { control(call, nil, manager, $0) }
            #expect(none.status == .removed && none.url.absoluteString == "about:blank" && none.error != nil)
            #expect(manager.tasks == [known] && manager.fetchTask("http://example.org/unknown") == nil)
            try await notes.wait("refusals are logged") { $0.count { $0.hasPrefix("error") } >= 3 }
        }
    }

    @Test func `overlapping calls get their answers in call order`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.reaches(.running)
            let notes = Notes<String>()
            for round in 0..<10 {
                manager.suspend(url) { _ in notes.add("suspend \(round)") }
                manager.start(url) { _ in notes.add("start \(round)") }
                manager.download(url) { _ in notes.add("download \(round)") }
            }
            manager.cancel(url) { _ in notes.add("cancel") }
            manager.remove(url) { _ in notes.add("remove") }
            let expected =
                (0..<10).flatMap { ["suspend \($0)", "start \($0)", "download \($0)"] } + ["cancel", "remove"]
            #expect(try await notes.wait(count: expected.count) == expected)
            #expect(task.status == .canceled)
        }
    }

    enum Answered: String, CaseIterable {
        case suspend, cancel, remove, totalSuspend, totalCancel, asyncSuspend, asyncCancel, enqueue, order, priority

        /// Expected states of three tasks after the call.
        var left: [Status] {
            switch self {
            case .suspend, .asyncSuspend: [.suspended, .running, .waiting]
            case .cancel, .remove, .asyncCancel: [.running, .waiting]
            case .totalSuspend: [.suspended, .suspended, .suspended]
            case .totalCancel: []
            case .enqueue: [.running, .waiting, .waiting, .waiting]
            case .order, .priority: [.running, .waiting, .waiting]
            }
        }
    }

    /// docs/behaviour/session-manager.md#C5, #O1, #D1: a result reported by a handler or a return outlives the daemon.
    @Test(arguments: Answered.allCases)
    func `an acknowledged command is durable`(call: Answered) async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 1)
            let tasks = manager.multiDownload(fixture.urls(3))
            try await tasks[0].reaches(.running)
            switch call {
            case .suspend: try await answer { manager.suspend(tasks[0], handler: $0) }
            case .cancel: try await answer { manager.cancel(tasks[0], handler: $0) }
            case .remove: try await answer { manager.remove(tasks[0], handler: $0) }
            case .totalSuspend: try await answer { manager.totalSuspend(handler: $0) }
            case .totalCancel: try await answer { manager.totalCancel(handler: $0) }
            case .asyncSuspend: try await tasks[0].suspend()
            case .asyncCancel: try await tasks[0].cancel()
            case .enqueue: try await manager.enqueue(DownloadSpec(fixture.origin.url("/more")))
            case .order: manager.moveTask(at: 2, to: 0)
            case .priority: try await tasks[2].setPriority(7)
            }
            try await fixture.daemon.killDaemon()
            let later = await fixture.relaunch(limit: 1)
            let left = call == .order ? [tasks[2], tasks[0], tasks[1]] : tasks.filter { manager.tasks.contains($0) }
            #expect(later.tasks.prefix(left.count).map(\.id) == left.map(\.id))
            // The first eligible task has the slot again.
            try await eventually("one runs: \(later.tasks.map(\.status))") {
                later.tasks.map(\.status).sorted { $0.rawValue < $1.rawValue }
                    == call.left.sorted { $0.rawValue < $1.rawValue }
            }
            if call == .priority || call == .order { try await later.fetchTask(tasks[2].url)?.reaches(.running) }
        }
    }

    @Test func `without a daemon a download fails detached, and a manager shows its tasks once it answers`()
        async throws
    {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let task = try #require(fixture.manager().download(fixture.origin.url()))
            // Done first, so that no client starts the daemon again.
            await fixture.leave(environment: ["FERRYD": "/nowhere/ferryd"])
            try await fixture.daemon.terminateDaemon()
            let manager = fixture.manager()
            #expect(manager.tasks.isEmpty)
            let seen = Notes<DownloadTask>()
            let early = manager.download(fixture.origin.url("/early")) { seen.add($0) }
            let failed = try #require(early)
            #expect(failed.status == .failed)
            guard case .daemonUnavailable(let reason)? = failed.ferryError, reason.contains("FERRYD is /nowhere/ferryd")
            else {
                Issue.record("\(String(describing: failed.error))")
                return
            }
            #expect(try await seen.wait(count: 1) == [failed])
            do throws(FerryError) {
                _ = try await manager.enqueue(DownloadSpec(fixture.origin.url("/early")))
                Issue.record("It is stored.")
            } catch {
                guard case .daemonUnavailable(let reason) = error, reason.contains("FERRYD is /nowhere/ferryd") else {
                    Issue.record("\(error)")
                    return
                }
            }
            try await fixture.daemon.startDaemon()
            try await eventually("the manager shows the task") { manager.tasks.map(\.id) == [task.id] }
        }
    }
}
