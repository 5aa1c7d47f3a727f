import Ferry
import Foundation

/// Tiercel 3 code with only its import changed. The test is that it compiles.
final class OldDownloadList {
    private let manager: SessionManager
    private var lines: [String] = []

    init(limit: Int) {
        var configuration = SessionConfiguration()
        configuration.allowsCellularAccess = true
        configuration.maxConcurrentTasksLimit = limit
        manager = SessionManager("list", configuration: configuration, operationQueue: DispatchQueue(label: "list"))
        manager.logger.option = .default
        lines = ["\(FileManager.default.tr.freeDiskSpaceInBytes / 1024 / 1024) MB"]
    }

    func show(_ manager: SessionManager) -> [String] {
        [
            "\(manager.succeededTasks.count)/\(manager.tasks.count)", manager.speedString, manager.timeRemainingString,
            manager.speed.tr.convertSpeedToString(), manager.timeRemaining.tr.convertTimeToString(),
            String(format: "%.2f", manager.progress.fractionCompleted),
        ]
    }

    func show(_ task: DownloadTask) -> [String] {
        let validation: String
        switch task.validation {
        case .unkown: validation = "unknown"
        case .correct: validation = "correct"
        case .incorrect: validation = "incorrect"
        }
        let count = task.progress.completedUnitCount.tr.convertBytesToString()
        return [
            validation, count, task.speedString, task.startDateString, task.endDateString, task.timeRemainingString,
            task.startDate.tr.convertTimeToDateString(), task.url.absoluteString.tr.md5, state(of: task),
        ]
    }

    private func state(of task: DownloadTask) -> String {
        switch task.status {
        case .suspended: "suspended"
        case .running: "running"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .waiting: "waiting"
        default: ""
        }
    }

    func begin(_ addresses: [String]) {
        manager.progress { manager in print(manager.progress.fractionCompleted) }
            .completion { manager in print(manager.status == .succeeded) }
        manager.multiDownload(addresses, fileNames: addresses.map { "\($0.count)" }) { print($0.tasks.count) }
        manager.tasks.safeObject(at: 0)?.progress { print($0.fileName) }
            .success { print($0.filePath) }
            .failure { task in print(task.status == .suspended, task.error?.localizedDescription ?? "") }
            .validateFile(code: "9e2a3650530b563da297c9246acaad5c", type: .md5) { print($0.validation == .correct) }
        manager.tasks.progress { _ in }.success { _ in }.failure { _ in }
        _ = NotificationCenter.default.addObserver(
            forName: DownloadTask.runningNotification, object: nil, queue: .main
        ) { notification in print(notification.downloadTask?.progress as Any, notification.tr.sessionManager as Any) }
    }

    func tap(_ row: Int) {
        guard let task = manager.tasks.safeObject(at: row) else { return }
        switch task.status {
        case .waiting, .running: manager.suspend(task)
        case .suspended, .failed: manager.start(task)
        default: break
        }
    }

    func change(_ address: String) {
        guard let task = manager.fetchTask(address) else { return }
        manager.start(address) { print($0.status) }
        manager.cancel(task) { _ in }
        manager.remove(task, completely: false) { _ in }
        manager.moveTask(at: 0, to: 1)
        manager.tasksSort { $0.startDate < $1.startDate }
        manager.totalStart { _ in }
        manager.totalSuspend()
        manager.totalCancel()
        manager.totalRemove(completely: true)
        manager.configuration.maxConcurrentTasksLimit = Int.max
        manager.cache.clearDiskCache()
    }

    static func explanation(of error: FerryError) -> String {
        switch error {
        case .unknown: "unknown"
        case .invalidURL(let url), .duplicateURL(let url), .fetchDownloadTaskFailed(let url): "\(url)"
        case .indexOutOfRange, .headersMatchFailed, .fileNamesMatchFailed: "mistake"
        case .unacceptableStatusCode(let code): "\(code)"
        case .cacheError(let reason): "\(reason)"
        default: error.localizedDescription
        }
    }
}
