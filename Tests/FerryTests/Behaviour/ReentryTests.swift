// Ferry: FerryTests
// Calls from inside handlers, comparators, loggers and observers.

import Ferry
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls from inside` {
    private static let body = FerryFixture.body

    /// Uses every call and property of a manager and of its tasks, on tasks of its own.
    private static func useEverything(_ manager: SessionManager, _ url: String, onMainQueue: Bool) {
        let extra = url + "?extra"
        manager.download(extra, onMainQueue: onMainQueue) { _ in }
        manager.suspend(extra, onMainQueue: onMainQueue) { _ in }
        manager.start(extra, onMainQueue: onMainQueue) { _ in }
        manager.cancel(manager.fetchTask(extra), onMainQueue: onMainQueue) { _ in }
        manager.multiDownload([extra, extra + "2"], onMainQueue: onMainQueue) { _ in }
        manager.remove(extra, onMainQueue: onMainQueue) { _ in }
        manager.remove(extra + "2", completely: true, onMainQueue: onMainQueue) { _ in }
        manager.moveTask(at: 0, to: 0)
        manager.tasksSort { $0.fileName < $1.fileName }
        manager.configuration.timeoutIntervalForRequest += 1
        manager.totalStart(onMainQueue: onMainQueue) { _ in }
        _ = (manager.status, manager.progress.fractionCompleted, manager.speedString, manager.timeRemainingString)
        _ = (manager.succeededTasks, manager.logger.identifier, manager.operationQueue, manager.cache.downloadPath)
        for task in manager.tasks {
            _ = (task.status, task.waitingReason, task.error, task.progress, task.filePath, task.startDateString)
            _ = (task.endDateString, task.speedString, task.timeRemainingString, task.response, task.currentURL)
        }
    }

    @Test(
        arguments: [true, false],
        ["progress", "success", "failure", "completion", "handler", "manager", "notification"])
    func `every call works inside every closure`(onMainQueue: Bool, place: String) async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/file.bin"), .hold("go", at: .body(100_000))))) {
            fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let once = Notes<String>()
            let use: @Sendable () -> Void = { [weak manager] in
                guard let manager, once.count == 0 else { return }
                once.add("begun")
                Self.useEverything(manager, url, onMainQueue: onMainQueue)
                once.add("done")
            }
            let task = try #require(manager.download(url))
            let token =
                place == "notification"
                ? NotificationCenter.default.addObserver(
                    forName: DownloadTask.didCompleteNotification, object: nil, queue: nil
                ) { if $0.downloadTask === task { use() } } : nil
            defer { if let token { NotificationCenter.default.removeObserver(token) } }
            switch place {
            case "progress": task.progress(onMainQueue: onMainQueue) { _ in use() }
            case "success": task.success(onMainQueue: onMainQueue) { _ in use() }
            case "failure": task.failure(onMainQueue: onMainQueue) { _ in use() }
            case "completion": task.completion(onMainQueue: onMainQueue) { _ in use() }
            case "manager": manager.completion(onMainQueue: onMainQueue) { _ in use() }
            default: break
            }
            if place == "failure" {
                manager.suspend(task)
            } else if place == "handler" {
                manager.start(task, onMainQueue: onMainQueue) { _ in use() }
            } else if place != "progress" {
                fixture.origin.release("go")
            }
            try await once.wait(for: "done")
            fixture.origin.release("go")
            manager.start(task)
            try await task.reaches(.succeeded)
        }
    }

    @Test func `comparator and logger may call the manager`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let notes = Notes<String>()
            let inner = Mutex<SessionManager?>(nil)
            let logger = NotingLogger(notes: notes) { _ in
                guard let manager = inner.withLock({ $0.take() }) else { return }
                Self.useEverything(manager, fixture.origin.url("/logger"), onMainQueue: false)
                notes.add("logger done")
            }
            let manager = fixture.manager(logger: logger)
            manager.multiDownload(fixture.urls(4))
            inner.withLock { $0 = manager }
            manager.start("nonsense")
            try await notes.wait(for: "logger done")
            let compared = Notes<String>()
            manager.tasksSort { first, second in
                if compared.count == 0 {
                    compared.add("begun")
                    manager.moveTask(at: 0, to: 1)
                    manager.suspend(first)
                    manager.start(first)
                    manager.configuration.timeoutIntervalForRequest += 1
                }
                return first.url.absoluteString > second.url.absoluteString
            }
            #expect(compared.count == 1)
            #expect(manager.tasks.map(\.url.path) == ["/file-3.bin", "/file-2.bin", "/file-1.bin", "/file-0.bin"])
        }
    }

    @Test func `a blocked operation queue blocks no call`() async throws {
        try await withFerry { fixture in
            let queue = DispatchQueue(label: "blocked")
            let gate = DispatchSemaphore(value: 0)
            let manager = fixture.manager(queue: queue)
            queue.async { gate.wait() }
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            let told = Notes<String>()
            told.observe(task)
            try await told.wait(for: "task success succeeded")
            let late = Notes<String>()
            manager.start(url, onMainQueue: false) { _ in late.add("late") }
            manager.moveTask(at: 0, to: 0)
            try await answer { manager.remove(url, onMainQueue: true, handler: $0) }
            #expect(late.count == 0 && manager.tasks.isEmpty)
            gate.signal()
            try await late.wait(for: "late")
        }
    }
}
