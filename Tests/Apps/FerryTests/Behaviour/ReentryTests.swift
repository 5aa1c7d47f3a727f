@testable import Ferry
import FerryTesting
import FerryURLSession
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Calls from inside` {
    private static let body = FerryFixture.body

    /// A place where the app's closure is called.
    enum Place: String, CaseIterable {
        case taskProgress, taskSuccess, taskFailure, taskCompletion, taskCheck
        case managerProgress, managerSuccess, managerFailure, managerCompletion
        case handlerOfTask, handlerOfAll, handlerOfCache

        /// Whether the closure is called after the file is in place.
        var isAfterSuccess: Bool {
            switch self {
            case .taskSuccess, .taskCompletion, .taskCheck, .managerSuccess, .managerCompletion: true
            default: false
            }
        }
    }

    private static let script = OriginScript(body, .on(.path("/file.bin"), .hold("go", at: .body(100_000))))

    /// Registers a closure at a place.
    private func bring(
        _ use: @escaping @Sendable () -> Void, to place: Place, onMainQueue: Bool, _ manager: SessionManager,
        _ task: DownloadTask
    ) {
        switch place {
        case .taskProgress: task.progress(onMainQueue: onMainQueue) { _ in use() }
        case .taskSuccess: task.success(onMainQueue: onMainQueue) { _ in use() }
        case .taskFailure: task.failure(onMainQueue: onMainQueue) { _ in use() }
        case .taskCompletion: task.completion(onMainQueue: onMainQueue) { _ in use() }
        case .taskCheck:
            task.validateFile(code: Self.body.md5Hex, type: .md5, onMainQueue: onMainQueue) { _ in use() }
        case .managerProgress: manager.progress(onMainQueue: onMainQueue) { _ in use() }
        case .managerSuccess: manager.success(onMainQueue: onMainQueue) { _ in use() }
        case .managerFailure: manager.failure(onMainQueue: onMainQueue) { _ in use() }
        case .managerCompletion: manager.completion(onMainQueue: onMainQueue) { _ in use() }
        case .handlerOfTask: manager.start(task, onMainQueue: onMainQueue) { _ in use() }
        case .handlerOfAll: manager.totalSuspend(onMainQueue: onMainQueue) { _ in use() }
        case .handlerOfCache: manager.cache.clearDiskCache(onMainQueue: onMainQueue) { _ in use() }
        }
    }

    /// docs/behaviour/session-manager.md#C6
    @Test(arguments: [true, false], Place.allCases)
    func `every call works inside every closure`(onMainQueue: Bool, place: Place) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager()
            let everything = Everything(fixture, manager, onMainQueue: onMainQueue)
            let task = try #require(manager.download(fixture.origin.url()))
            bring({ everything.use() }, to: place, onMainQueue: onMainQueue, manager, task)
            if place == .taskFailure || place == .managerFailure { manager.suspend(task) }
            if place.isAfterSuccess { fixture.origin.release("go") }
            try await everything.isUsed()
        }
    }

    enum Chained: String, CaseIterable {
        case destination, progress, response, completionHandler, delegate
    }

    /// docs/behaviour/session-manager.md#C6
    @Test(arguments: Chained.allCases)
    func `every call works inside every closure of the chain`(place: Chained) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager()
            let everything = Everything(fixture, manager, onMainQueue: true)
            let file = URL(fileURLWithPath: fixture.daemon.file("file"))
            manager.download(fixture.origin.url()) { _, _ in
                if place == .destination { everything.use() }
                return (file, [.removePreviousFile])
            }
            .downloadProgress { _ in if place == .progress { everything.use() } }
            .response { _ in if place == .response { everything.use() } }
            switch place {
            case .progress: break
            case .destination, .response: fixture.origin.release("go")
            case .completionHandler: manager.completionHandler = { everything.use() }
            case .delegate:
                manager.delegate.sessionDidFinishEventsForBackgroundURLSession = { _ in everything.use() }
                manager.shared.events.calledToHandleEvents()
            }
            try await everything.isUsed()
        }
    }

    enum Observed: String, CaseIterable {
        case taskProgress, taskEnd, managerProgress, managerEnd, model, file

        var name: Notification.Name? {
            switch self {
            case .taskProgress: DownloadTask.runningNotification
            case .taskEnd: DownloadTask.didCompleteNotification
            case .managerProgress: SessionManager.runningNotification
            case .managerEnd: SessionManager.didCompleteNotification
            case .model: DownloadProgressNotification
            case .file: nil
            }
        }
    }

    /// docs/behaviour/session-manager.md#C6
    @Test(arguments: Observed.allCases)
    func `every call works inside every observer`(place: Observed) async throws {
        try await withFerry(Self.script) { fixture in
            let manager = fixture.manager()
            let everything = Everything(fixture, manager, onMainQueue: false)
            let url = fixture.origin.url()
            let token = place.name.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let isOwn =
                        notification.downloadTask?.url.absoluteString == url
                        || notification.sessionManager?.identifier == fixture.identifier
                        || (notification.object as? DownloadDescModel)?.url == url
                    if isOwn { everything.use() }
                }
            }
            defer { if let token { NotificationCenter.default.removeObserver(token) } }
            let model = DownloadModel()
            model.model.url = url
            fixture.make { DownloadManager(identifier: fixture.identifier, cache: fixture.cache()) }
                .download(model: model)
            if place == .file {
                FileChecksumHelper.validateFile("/none", code: "a", type: .md5) { _ in everything.use() }
            }
            if place == .taskEnd || place == .managerEnd { fixture.origin.release("go") }
            try await everything.isUsed()
        }
    }

    /// docs/behaviour/session-manager.md#C6
    @Test func `every call works inside a logger`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let inner = Mutex<Everything?>(nil)
            let logger = NotingLogger(notes: Notes()) { _ in inner.withLock { $0.take() }?.use() }
            let manager = fixture.manager(logger: logger)
            let everything = Everything(fixture, manager, onMainQueue: false)
            inner.withLock { $0 = everything }
            manager.start("nonsense")
            try await everything.isUsed()
        }
    }

    /// docs/behaviour/session-manager.md#C6, #O2
    @Test func `every call works inside a comparator, which sorts the remaining tasks`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            let everything = Everything(fixture, manager, onMainQueue: true)
            manager.multiDownload(fixture.urls(4))
            manager.tasksSort { first, second in
                everything.use()
                return first.url.path > second.url.path
            }
            try await everything.isUsed()
            #expect(manager.tasks.isEmpty)
            manager.multiDownload(fixture.urls(4))
            var calls = 0
            manager.tasksSort { first, second in
                if calls == 0 {
                    manager.moveTask(at: 0, to: 1)
                    manager.suspend(first)
                    manager.start(first)
                }
                calls += 1
                return first.url.path > second.url.path
            }
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
