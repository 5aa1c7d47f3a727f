import Ferry
import Foundation
import TestAppKit

/// Commands that log state and events.
extension TestApp {
    /// Performs a command that only reads or observes.
    func observe(_ command: Command) {
        switch command.name {
        case "observe": observe()
        case "notifications":
            _ = NotificationCenter.default.addObserver(
                forName: DownloadTask.didCompleteNotification, object: nil, queue: nil
            ) { [story] notification in
                if let task = notification.downloadTask { story.add("notified", task.url.path, task.status) }
            }
        case "completion":
            manager.completionHandler = { [story] in
                story.add("completion", Thread.isMainThread ? "main" : "other")
            }
        case "events":
            guard let task = manager.fetchTask(command.word(0)) else { return }
            Task { [story] in
                for await event in task.events {
                    if let line = event.line { story.add("event", task.url.path, line) }
                }
            }
        case "status": writeTasks()
        case "tagged":
            let progress = manager.progress(taggedWith: command.word(0))
            let count = manager.tasks(taggedWith: command.word(0)).count
            story.add("tagged", command.word(0), count, progress.receivedBytes, progress.expectedBytes ?? -1)
        case "metadata":
            let task = manager.fetchTask(command.word(0))
            story.add("metadata", command.word(0), task?.metadata["note"] ?? "-")
        default: break
        }
    }

    private func observe() {
        let story = story
        manager.success { _ in story.add("manager-success") }
            .failure { story.add("manager-failure", $0.status) }
        for task in manager.tasks {
            task.success { story.add("success", $0.url.path) }
                .failure { story.add("failure", $0.url.path, $0.status) }
        }
        story.add("observing", manager.tasks.count)
    }

    private func writeTasks() {
        for task in manager.tasks {
            let reason = task.waitingReason.map { "\($0)" } ?? "-"
            story.add("task", task.url.path, task.status, task.progress.completedUnitCount, task.fileName, reason)
        }
        story.add("tasks", manager.tasks.count, manager.status, manager.succeededTasks.count)
    }

    // MARK: Waiting

    /// Waits for a condition reported by the events of tasks.
    ///
    /// - Returns: Whether the command is one of these.
    func wait(_ command: Command) async throws -> Bool {
        let url = command.word(0)
        switch command.name {
        case "bytes":
            let (task, wanted) = (try task(url), Int64(command.word(1)) ?? 0)
            var count: Int64 = 0
            for await event in task.events {
                count = if case .progress(let progress) = event { progress.receivedBytes } else { task.received }
                if count >= wanted { break }
            }
            story.add("bytes", task.url.path, count)
        case "reaches":
            let task = try task(url)
            for await _ in task.events where task.status.rawValue == command.word(1) { break }
            story.add("reached", task.url.path, task.status)
        case "ended":
            let manager = manager
            while let task = manager.tasks.first(where: \.isUnderWay) {
                for await _ in task.events where !task.isUnderWay { break }
            }
            story.add("ended", manager.status)
        default: return false
        }
        return true
    }

    // MARK: The download chain

    /// Performs a command for the download chain.
    ///
    /// - Returns: Whether the command is one of these.
    func performChain(_ command: Command) -> Bool {
        switch command.name {
        case "chain": download(command, with: chain)
        case "local-chain":
            let local = SessionManager(configuration: .background(withIdentifier: identifier + ".chain"))
            download(command, with: local)
        case "restored": story.add("restored", chain.restoredRequests.count)
        default: return false
        }
        return true
    }

    private func download(_ command: Command, with manager: SessionManager) {
        let file = URL(fileURLWithPath: command.word(1))
        manager.download(command.word(0)) { _, _ in (file, [.removePreviousFile, .createIntermediateDirectories]) }
            .response { [story] response in
                story.add("response", response.destinationURL?.path ?? "-", response.error ?? "no-error")
            }
        story.add("chained", command.word(1))
    }
}

extension DownloadTask {
    fileprivate var isUnderWay: Bool { status == .waiting || status == .running }
    fileprivate var received: Int64 { progress.completedUnitCount }
}

extension DownloadEvent {
    /// The event in one line, or `nil` for progress.
    fileprivate var line: String? {
        switch self {
        case .state(let status, _): "state \(status)"
        case .response(let status, _): "response \(status)"
        case .restarted: "restarted"
        case .progress: nil
        case .succeeded: "succeeded"
        case .failed(let error): "failed \(error)"
        case .canceled: "canceled"
        case .removed: "removed"
        }
    }
}
