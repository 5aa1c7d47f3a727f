// A list that observes notifications on the main queue, as views do. Tasks of an earlier start reappear.
//
//     swift run Notified https://example.org/a.iso https://example.org/b.iso

import Ferry
import Foundation

var configuration = SessionConfiguration()
configuration.maxConcurrentTasksLimit = 2
let manager = SessionManager("notified", configuration: configuration)
manager.logger.option = .none

let center = NotificationCenter.default
let observers = [
    center.addObserver(forName: DownloadTask.runningNotification, object: nil, queue: .main) { notification in
        guard let task = notification.downloadTask else { return }
        print("\(task.fileName): \(Int(task.progress.fractionCompleted * 100)) % at \(task.speedString)")
    },
    center.addObserver(forName: DownloadTask.didCompleteNotification, object: nil, queue: .main) { notification in
        guard let task = notification.downloadTask else { return }
        print("\(task.url.lastPathComponent) \(task.status.rawValue) \(task.status == .succeeded ? task.filePath : "")")
    },
    center.addObserver(forName: SessionManager.didCompleteNotification, object: nil, queue: .main) { notification in
        guard let manager = notification.sessionManager else { return }
        print("\(manager.succeededTasks.count) of \(manager.tasks.count) downloads have succeeded.")
        if manager.status == .succeeded { exit(0) }
    },
]

let tasks = manager.multiDownload(CommandLine.arguments.dropFirst().map { $0 })
print("\(tasks.count) downloads, \(manager.tasks.count) in the list.")
// Runs the main queue, on which the observers are called.
RunLoop.main.run()
