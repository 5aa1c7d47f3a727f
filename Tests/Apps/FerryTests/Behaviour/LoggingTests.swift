import Ferry
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Log and notifications` {
    private static let body = FerryFixture.body
    private static let script = OriginScript(
        body, .on(.path("/held*"), .hold("go", at: .body(1000))), .on(.path("/bad"), .status(404)))

    @Test func `changes of state, refused calls and errors are logged`() async throws {
        try await withFerry(Self.script) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let held = fixture.origin.url("/held")
            let task = try #require(manager.download(held))
            try await task.reaches(.running)
            try await answer { manager.suspend(held, handler: $0) }
            manager.start("nonsense")
            manager.download(fixture.origin.url("/bad"))
            fixture.origin.release("go")
            try await answer { manager.start(held, handler: $0) }
            try await task.reaches(.succeeded)
            let words = ["running", "suspended", "succeeded"]
            try await notes.wait("each state of the task") { told in
                words.allSatisfy { word in
                    told.contains { $0.hasPrefix("task") && $0.contains(word) && $0.contains("/held") }
                }
            }
            try await notes.wait("the failure") { $0.contains { $0.hasPrefix("error") && $0.contains("404") } }
            try await notes.wait("the refusal") { $0.contains { $0.hasPrefix("error") && $0.contains("nonsense") } }
            try await notes.wait("the manager") { $0.contains { $0.hasPrefix("manager") } }
            #expect(!notes.all.contains { $0.contains("will") })
        }
    }

    /// docs/behaviour/session-manager.md#L2
    @Test func `each change of a task and of the manager is logged once`() async throws {
        try await withFerry(Self.script) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let url = fixture.origin.url("/held")
            let task = try #require(manager.download(url))
            try await task.reaches(.running)
            try await answer { manager.suspend(url, handler: $0) }
            fixture.origin.release("go")
            manager.start(url)
            try await task.reaches(.succeeded)
            try await answer { manager.remove(url, onMainQueue: false, handler: $0) }
            try await notes.wait(for: "manager: removed")
            let tasks = ["running", "suspended", "waiting", "running", "succeeded", "removed"]
            #expect(notes.all.filter { $0.hasPrefix("task") } == tasks.map { "task: \($0) \(url)" })
            #expect(
                notes.all.filter { $0.hasPrefix("manager") }
                    == ["running", "suspended", "running", "succeeded", "removed"].map { "manager: \($0)" })
        }
    }

    @Test func `secrets are not logged`() async throws {
        try await withFerry(Self.script) { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let url = "http://user:hunter2@127.0.0.1:\(fixture.origin.port)/bad"
            let task = try #require(
                manager.download(url, headers: ["Authorization": "Bearer hunter3", "Cookie": "id=hunter4"]))
            try await task.reaches(.failed)
            manager.start("http://user:hunter5@127.0.0.1/unknown")
            try await notes.wait("an error") { $0.contains { $0.contains("unknown") } }
            let messages = notes.all.map { $0.replacingOccurrences(of: task.url.absoluteString, with: "") }
            #expect(!messages.contains { $0.contains("hunter") })
        }
    }

    @Test func `entries of one manager come one at a time, and a new logger gets the next`() async throws {
        try await withFerry { fixture in
            let overlap = Overlap()
            let old = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: old) { _ in overlap.visit() })
            manager.multiDownload(fixture.urls(20))
            DispatchQueue.concurrentPerform(iterations: 20) { manager.start("nonsense \($0)") }
            try await manager.reaches(.succeeded)
            try await old.wait("twenty refusals") { $0.count { $0.contains("nonsense") } >= 20 }
            #expect(overlap.most == 1)
            let new = Notes<String>()
            manager.logger = NotingLogger(notes: new)
            #expect(manager.logger.identifier == "noting")
            manager.start("another")
            try await new.wait("the entry") { $0.contains { $0.contains("another") } }
            #expect(!old.all.contains { $0.contains("another") })
        }
    }

    @Test func `an option of the logger can be set through the manager`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager(logger: NotingLogger(notes: Notes()))
            #expect(manager.logger.option == .default)
            manager.logger.option = .none
            #expect(manager.logger.option == .none)
        }
    }

    @Test func `notifications tell progress and each end once, on the operation queue`() async throws {
        let key = DispatchSpecificKey<Bool>()
        try await withFerry(Self.script) { fixture in
            let queue = DispatchQueue(label: "operations")
            queue.setSpecific(key: key, value: true)
            let manager = fixture.manager(queue: queue)
            let told = Notes<String>()
            let places = Notes<Bool>()
            let names = [
                DownloadTask.runningNotification, DownloadTask.didCompleteNotification,
                SessionManager.runningNotification, SessionManager.didCompleteNotification,
            ]
            #expect(Set(names).count == 4 && names.allSatisfy { $0.rawValue.hasPrefix("Ferry.notification.") })
            let tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let task = notification.downloadTask
                    let subject = notification.sessionManager
                    guard task?.manager === manager || subject === manager else { return }
                    #expect(notification.object == nil)
                    #expect(notification.tr.downloadTask === task && notification.tr.sessionManager === subject)
                    places.add(DispatchQueue.getSpecific(key: key) ?? false)
                    switch name {
                    case DownloadTask.runningNotification: told.add("task progress")
                    case SessionManager.runningNotification: told.add("manager progress")
                    case DownloadTask.didCompleteNotification: told.add("task \(task?.status ?? .waiting)")
                    default: told.add("manager \(subject?.status ?? .waiting)")
                    }
                }
            }
            defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
            let url = fixture.origin.url("/held")
            let task = try #require(manager.download(url))
            try await told.wait(for: "task progress")
            try await answer { manager.suspend(url, handler: $0) }
            fixture.origin.release("go")
            manager.start(url)
            try await task.reaches(.succeeded)
            try await told.wait(for: "manager succeeded")
            try await answer { manager.remove(url, handler: $0) }
            try await told.wait(for: "manager removed")
            let expected = ["suspended", "succeeded", "removed"].flatMap { ["task \($0)", "manager \($0)"] }
            #expect(told.ends == expected && told.all.contains("manager progress"))
            #expect(!places.all.contains(false))
        }
    }

    @Test func `ends of the time without a manager are posted once`() async throws {
        try await withFerry(Self.script) { fixture in
            let first = fixture.manager()
            let task = try #require(first.download(fixture.origin.url("/held")))
            try await task.reaches(.running)
            await fixture.leave()
            fixture.origin.release("go")
            try await fixture.waitForEnds(1)
            let told = Notes<DownloadTask.ID>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadTask.didCompleteNotification, object: nil, queue: nil
            ) { if let ended = $0.downloadTask, ended.id == task.id { told.add(ended.id) } }
            defer { NotificationCenter.default.removeObserver(token) }
            let second = fixture.manager()
            try await told.wait(count: 1)
            try await answer { second.start("unknown", onMainQueue: false, handler: $0) }
            #expect(told.count == 1)
        }
    }

    @Test func `every error is a sentence`() {
        let errors: [FerryError] = [
            .invalidURL(url: "x"), .duplicateURL(url: "x"), .indexOutOfRange, .fetchDownloadTaskFailed(url: "x"),
            .headersMatchFailed, .fileNamesMatchFailed, .unacceptableStatusCode(code: 404),
            .transport(URLError(.secureConnectionFailed)), .resourceTimeout,
            .checksumMismatch(expected: "a", actual: "b"), .insufficientDiskSpace(required: 2, available: 1),
            .fileConflict(path: "/x"), .invalidDestination(path: "x"), .recordStoreFailed(message: "x"),
            .invalidRequest(message: "x"), .daemonUnavailable(message: "x"), .sessionInUse(identifier: "x"), .canceled,
            .removed, .unknown,
        ]
        for error in errors {
            let text = error.errorDescription ?? ""
            #expect(text.first?.isUppercase == true && text.last == "." && text.contains(" "), "\(error)")
            #expect(error.localizedDescription == text)
        }
    }

    @Test func `one task's error affects no other`() async throws {
        let script = OriginScript(
            Self.body, .on(.path("/bad"), .status(404)), .on(.path("/raw"), .raw(Array("nonsense\r\n\r\n".utf8))),
            .on(.path("/loop"), .redirect(to: "/loop")))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let good = fixture.urls(5)
            manager.multiDownload(["/bad", "/loop"].map { fixture.origin.url($0) } + ["http://127.0.0.1:1/refused"])
            let tasks = manager.multiDownload(good)
            for task in tasks { try await task.reaches(.succeeded) }
            let loop = try #require(manager.fetchTask(fixture.origin.url("/loop")))
            try await loop.reaches(.failed)
            guard case .transport(let error)? = loop.ferryError else {
                Issue.record("\(String(describing: loop.error))")
                return
            }
            #expect(error.code == .httpTooManyRedirects)
        }
    }
}
