@testable import Ferry
import FerryTesting
import Foundation

/// Makes every call of the library once, inside the first closure that triggers it.
///
/// Removes the tasks that it adds, and all others of the manager.
final class Everything: Sendable {
    private let fixture: FerryFixture
    private let manager: SessionManager
    private let onMainQueue: Bool
    private let told = Notes<String>()

    init(_ fixture: FerryFixture, _ manager: SessionManager, onMainQueue: Bool) {
        self.fixture = fixture
        self.manager = manager
        self.onMainQueue = onMainQueue
    }

    /// Waits until all calls, their handlers and their async forms have returned.
    func isUsed() async throws {
        try await told.wait(for: "returned")
        try await told.wait(for: "awaited")
        try await told.wait(for: "handled")
    }

    func use() {
        guard told.count == 0 else { return }
        told.add("begun")
        let urls = (0..<5).map { fixture.origin.url() + "?extra-\($0)" }
        useTasks(urls)
        useClosures(urls)
        useChain(urls)
        useSettings(urls)
        useModels(urls)
        useAsync(urls)
        useAll()
        manager.start("unknown", onMainQueue: onMainQueue) { [self] _ in told.add("handled") }
        told.add("returned")
    }

    private func useTasks(_ urls: [String]) {
        let task = manager.download(urls[0], headers: ["X-A": "b"], fileName: "a", onMainQueue: onMainQueue) { _ in }
        let tasks = manager.multiDownload(
            Array(urls[1...3]), headersArray: [[:], [:], [:]], fileNames: ["b", "c", "d"], onMainQueue: onMainQueue
        ) { _ in }
        manager.suspend(urls[0], onMainQueue: onMainQueue) { _ in }
        manager.start(urls[0], onMainQueue: onMainQueue) { _ in }
        manager.suspend(task, onMainQueue: onMainQueue) { _ in }
        manager.start(task, onMainQueue: onMainQueue) { _ in }
        manager.cancel(urls[1], onMainQueue: onMainQueue) { _ in }
        manager.cancel(tasks[1], onMainQueue: onMainQueue) { _ in }
        manager.remove(urls[3], onMainQueue: onMainQueue) { _ in }
        manager.remove(tasks[2], completely: true, onMainQueue: onMainQueue) { _ in }
        manager.moveTask(at: 0, to: manager.tasks.count - 1)
        manager.tasksSort { $0.fileName < $1.fileName }
    }

    private func useClosures(_ urls: [String]) {
        // Another handle, so that the closures of the first one stay registered.
        let other = fixture.manager()
        other.progress(onMainQueue: onMainQueue) { _ in }.success(onMainQueue: onMainQueue) { _ in }
            .failure(onMainQueue: onMainQueue) { _ in }.completion(onMainQueue: onMainQueue) { _ in }
        let task = manager.fetchTask(urls[0])
        task?.progress(onMainQueue: onMainQueue) { _ in }.success(onMainQueue: onMainQueue) { _ in }
            .failure(onMainQueue: onMainQueue) { _ in }.completion(onMainQueue: onMainQueue) { _ in }
            .validateFile(code: "00", type: .sha256, onMainQueue: onMainQueue) { _ in }
        [task].compactMap(\.self).validateFile(codes: ["01"], type: .sha1, onMainQueue: onMainQueue) { _ in }
        FileChecksumHelper.validateFile(task?.filePath ?? "", code: "00", type: .md5) { _ in }
        for task in manager.tasks {
            _ = (task.status, task.waitingReason, task.error, task.progress, task.filePath, task.startDateString)
            _ = (task.endDateString, task.speedString, task.timeRemainingString, task.response, task.currentURL)
            _ = (task.validation, task.metadata, task.tags, task.pathExtension, task.manager, task.hashValue)
        }
        other.invalidate()
    }

    private func useChain(_ urls: [String]) {
        let request = manager.download(urls[4], method: .get, headers: ["X-A": "b"], to: nil)
            .validate().validate(statusCode: [200]).downloadProgress { _ in }.response { _ in }
        request.suspend()
        request.resume()
        request.cancel()
        _ = (request.progress, request.request, request.response, request.downloadTask, manager.restoredRequests)
        _ = (manager.session, manager.delegate.sessionManager, SessionManager.defaultHTTPHeaders)
    }

    private func useSettings(_ urls: [String]) {
        manager.configuration.timeoutIntervalForRequest += 1
        manager.logger = SilentLogger()
        manager.isControlNetworkActivityIndicator.toggle()
        manager.completionHandler = nil
        manager.backgroundCompletionHandler = {}
        _ = (manager.status, manager.progress.fractionCompleted, manager.speedString, manager.timeRemainingString)
        _ = (manager.succeededTasks, manager.logger.identifier, manager.operationQueue, manager.identifier)
        let cache = manager.cache
        _ = (cache.filePath(url: urls[0]), cache.fileURL(url: urls[0]), cache.fileExists(url: urls[0]))
        _ = (cache.filePath(fileName: "a"), cache.fileURL(fileName: "a"), cache.fileExists(fileName: "a"))
        _ = (manager.tasks(taggedWith: "a"), manager.progress(taggedWith: "a"))
        _ = manager.task(id: DownloadTask.ID(rawValue: "a"))
    }

    private func useModels(_ urls: [String]) {
        let downloads = fixture.make { DownloadManager(identifier: fixture.identifier, cache: fixture.cache()) }
        let model = DownloadModel()
        model.model.url = urls[1]
        downloads.maxDownloadCount += 1
        downloads.download(model: model)
        downloads.cancelTask(url: urls[1])
        downloads.cancelAllTask()
        downloads.updateDownloading()
        downloads.updateDownloadingStateWithSuspended()
        _ = (downloads.isCompletion(url: urls[1]), downloads.isExistence(url: urls[1]), downloads.getFile(url: urls[1]))
        _ = (downloads.getDownloadModels(), downloads.getDownloadFinishModels(), downloads.getDownloadingModel())
        _ = (downloads.getCacheSize(), model.states, model.model.progress)
        downloads.backgroundSessionCompletionHandler = nil
        downloads.deleteFile(url: urls[1])
        downloads.deleteAllFile()
    }

    /// A closure cannot wait for these, because they start inside it.
    private func useAsync(_ urls: [String]) {
        Task { [manager, told] in
            let task = try? await manager.enqueue(DownloadSpec(urls[2]))
            try? await task?.setPriority(3)
            try? await task?.suspend()
            if let task { for await _ in task.events { break } }
            try? await manager.startAll()
            try? await manager.suspendAll()
            try? await task?.remove()
            try? await manager.cancelAll()
            try? await manager.removeAll()
            told.add("awaited")
        }
    }

    private func useAll() {
        manager.totalStart(onMainQueue: onMainQueue) { _ in }
        manager.totalSuspend(onMainQueue: onMainQueue) { _ in }
        manager.totalCancel(onMainQueue: onMainQueue) { _ in }
        manager.totalRemove(completely: true, onMainQueue: onMainQueue) { _ in }
        manager.cache.clearDiskCache(onMainQueue: onMainQueue) { _ in }
    }
}
