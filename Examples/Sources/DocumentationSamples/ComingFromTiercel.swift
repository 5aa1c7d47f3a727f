// Samples of the article for Tiercel users.

import Ferry
import Foundation

func firstManager(_ url: String) {
    var configuration = SessionConfiguration()
    configuration.allowsCellularAccess = true
    let manager = SessionManager("default", configuration: configuration)

    manager.download(url)?
        .progress(onMainQueue: true) { task in print(task.progress.fractionCompleted) }
        .success { task in print(task.filePath) }
        .failure { task in print(task.status, task.error?.localizedDescription ?? "") }
}

func tell(_ manager: SessionManager) {
    manager.completion(onMainQueue: false) { manager in
        print(manager.status, manager.succeededTasks.count)
    }
}

func findWaiting(_ manager: SessionManager) {
    for task in manager.tasks where task.status == .waiting {
        if case .networkPolicy = task.waitingReason { print(task.fileName, "waits for another network") }
    }
}

final class AppDelegate: BackgroundApplicationDelegate {
    let manager = SessionManager("default", configuration: SessionConfiguration())

    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        try? application.registerLaunchCommand(["/usr/bin/my-app"])
        return true
    }

    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        if manager.identifier == identifier { manager.completionHandler = completionHandler }
    }
}

func cacheOfItsOwn(_ url: String) -> DownloadTask? {
    let cache = Cache("movies", downloadFilePath: NSHomeDirectory() + "/Movies")
    let manager = SessionManager("movies", configuration: SessionConfiguration(), cache: cache)
    let task = manager.download(url, headers: ["Referer": "https://example.org/"], fileName: "movie.mp4")
    return task
}

func compare(_ task: DownloadTask?) {
    task?.validateFile(code: "9e107d9d372bb6826bd81d3542a419d6", type: .md5) { task in
        print(task.validation == .correct ? "as expected" : "another file")
    }
}

func keepModel(_ address: String) -> DownloadModel {
    let model = DownloadModel()
    model.model.url = address
    if address.dw_isURL { DownloadManager.default.download(model: model) }
    return model
}

func suspendAndStart(_ task: DownloadTask, of manager: SessionManager) {
    manager.suspend(task) { task in print(task.status) }
    manager.start(task)
    manager.totalSuspend { manager in print(manager.status) }
    manager.totalStart()
    manager.cancel(task)
    manager.totalRemove(completely: true)
}
