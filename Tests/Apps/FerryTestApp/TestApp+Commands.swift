import Ferry
import Foundation
import Glibc
import TestAppKit

/// Commands for managers and tasks.
extension TestApp {
    /// Performs a command for managers or single tasks.
    ///
    /// - Returns: Whether the command is one of these.
    func carryOut(_ command: Command) async throws -> Bool {
        let url = command.word(0)
        switch command.name {
        case "manager": story.add("manager", makeManager(command).tasks.count)
        case "configure":
            var configuration = manager.configuration
            command.apply(to: &configuration)
            manager.configuration = configuration
            story.add("configured")
        case "release": managers = []
        case "invalidate": for manager in managers { manager.invalidate() }
        case "download":
            let task = manager.download(url, fileName: command.words.count > 1 ? command.words[1] : nil)
            story.add("downloaded", task?.url.path ?? "nil", task?.status ?? "-", task?.error ?? "-")
        case "many":
            let urls = (0..<(Int(url) ?? 0)).map { "\(command.word(1))-\($0)" }
            story.add("many", manager.multiDownload(urls).count)
        case "enqueue":
            let task = try await manager.enqueue(command.spec())
            story.add("enqueued", task.url.path, task.status)
        case "fetch":
            let manager = manager
            Task { [story] in
                do {
                    story.add("fetched", try await manager.download(from: url).lastPathComponent)
                } catch {
                    story.add("failed", "fetch", error)
                }
            }
            story.add("fetching", url)
        case "validate":
            try task(url).validateFile(code: command.word(1), type: .md5) { [story] task in
                story.add("validated", task.url.path, task.validation)
            }
        case "replace":
            guard let other = URL(string: command.word(1)) else { throw Unknown(url: command.word(1)) }
            try await task(url).replaceRequest(url: other)
            story.add("replaced", url)
        case "priority":
            try await task(url).setPriority(Int(command.word(1)) ?? 0)
            story.add("prioritized", url)
        case "register": try register(command)
        case "kill": _ = Glibc.kill(getpid(), SIGKILL)
        case "exit": exit(0)
        default: return false
        }
        return true
    }

    /// Performs a call that controls tasks. Logs the status right after the call and in its handler.
    ///
    /// Returns once the handler was called.
    func control(_ command: Command) async {
        let url = command.word(0)
        guard Self.controls.contains(command.name) else { return observe(command) }
        await withCheckedContinuation { continuation in
            let (name, story) = (command.name, story)
            let ofTask: Handler<DownloadTask> = { task in
                story.add("handled", name, task.url.path, task.status, task.error ?? "-")
                continuation.resume()
            }
            let ofManager: Handler<SessionManager> = { manager in
                story.add("handled", name, manager.status)
                continuation.resume()
            }
            switch name {
            case "start": manager.start(url, handler: ofTask)
            case "suspend": manager.suspend(url, handler: ofTask)
            case "cancel": manager.cancel(url, handler: ofTask)
            case "remove": manager.remove(url, completely: false, handler: ofTask)
            case "delete": manager.remove(url, completely: true, handler: ofTask)
            case "total-start": manager.totalStart(handler: ofManager)
            case "total-suspend": manager.totalSuspend(handler: ofManager)
            case "total-cancel": manager.totalCancel(handler: ofManager)
            default: manager.totalRemove(completely: true, handler: ofManager)
            }
            story.add("called", name, manager.fetchTask(url)?.status ?? manager.status)
        }
    }

    private static let controls: Set = [
        "start", "suspend", "cancel", "remove", "delete", "total-start", "total-suspend", "total-cancel",
        "total-remove",
    ]

    private func register(_ command: Command) throws {
        let later = command.rest.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        try registerLaunch([identifier] + later, keeping: ["EVENTS", "CACHE"])
    }
}
