// main.swift
import Foundation
import Ferry
let base = ProcessInfo.processInfo.environment["FERRY_TEST_BASE"] ?? "http://127.0.0.1:8080"
let URLString = base + "/QQ_V4.2.4.dmg", URLStrings = (0..<9).map { base + "/file-\($0).bin" }
class AppDelegate: BackgroundApplicationDelegate {
    var sessionManager: SessionManager = {
        var configuration = SessionConfiguration()
        configuration.allowsCellularAccess = true
        return SessionManager("default", configuration: configuration)
    }()
    func application(_ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void) {
        if sessionManager.identifier == identifier { sessionManager.completionHandler = completionHandler }
        if identifier == "com.zimi" { BackgroundDLViewModel().backgroundManager.backgroundCompletionHandler = completionHandler }
    }
}
let appDelegate = AppDelegate(), sessionManager = appDelegate.sessionManager
func a1() { let task = sessionManager.download(URLString), tasks = sessionManager.multiDownload(URLStrings); print(task != nil, tasks.count) }
func a2() {
    let task = sessionManager.download(URLString)
    task?.progress(onMainQueue: true) { (task) in let progress = task.progress.fractionCompleted; print("下载中, 进度:\(progress)") }
        .success { (task) in print("下载完成") }.failure { (task) in print("下载失败") }
}
func a3() {
    NotificationCenter.default.addObserver(forName: DownloadTask.didCompleteNotification, object: nil, queue: nil) { (notification) in
        guard let task = notification.downloadTask else { return }; print(task.status) }
    sessionManager.download(URLString)?.progress(onMainQueue: true) { (task) in print("下载中, 进度:\(task.progress.fractionCompleted)") }
        .completion { (task) in if task.status == .succeeded { print("下载成功") } else { print("其他状态") } }
}
func a4() {
    sessionManager.start(URLString); sessionManager.suspend(URLString); sessionManager.cancel(URLString); sessionManager.remove(URLString, completely: false)
    let task = sessionManager.fetchTask(URLString)
    sessionManager.start(task); sessionManager.suspend(task); sessionManager.cancel(task); sessionManager.remove(task, completely: false)
    sessionManager.multiDownload(URLStrings)
    sessionManager.totalStart(); sessionManager.totalSuspend(); sessionManager.totalCancel(); sessionManager.totalRemove(completely: false)
}
final class TableView { func reloadData() { print("reload") } }
final class ListViewController {
    let tableView = TableView()
    func a5() {
        sessionManager.cancel(sessionManager.fetchTask(URLString), onMainQueue: true) { [weak self] (task) in self?.tableView.reloadData() }
        sessionManager.totalCancel() { [weak self] _ in self?.tableView.reloadData() }
        sessionManager.progress { [weak self] (manager) in self?.tableView.reloadData() }
            .completion { [weak self] (manager) in if manager.status == .succeeded { self?.tableView.reloadData() } }
    }
}
let listViewController = ListViewController()
func a6() {
    let task = sessionManager.download(URLString)
    task?.validateFile(code: "9e2a3650530b563da297c9246acaad5c", type: .md5, onMainQueue: true)
        { (task) in if task.validation == .correct { print("文件正确") } else { print("文件错误") } }
    FileChecksumHelper.validateFile(task?.filePath ?? "", code: "9e2a3650530b563da297c9246acaad5c", type: .md5) { result in print(result) }
}
struct PlainLogger: Logable {
    let identifier: String; var option: LogOption
    func log(_ type: LogType) { switch type {
        case let .sessionManager(message, manager): print(message, manager.tasks.count)
        case let .downloadTask(message, task): print(message, task.url)
        case let .error(message, error): print(message, error) } }
}
func a7() {
    sessionManager.logger.option = .none
    let cache = Cache("movies", downloadPath: NSTemporaryDirectory() + "movies"), logger = PlainLogger(identifier: "movies", option: .default)
    let manager = SessionManager("movies", configuration: SessionConfiguration(), logger: logger, cache: cache)
    manager.tasksSort { $0.fileName < $1.fileName }; manager.moveTask(at: 0, to: 1)
    print(cache.filePath(fileName: "a") ?? "", cache.fileURL(url: URLString)?.path ?? "", cache.fileExists(url: URLString))
    cache.clearDiskCache { _ in print("cleared") }
}
func a8() {
    sessionManager.progress(onMainQueue: true) { (manager) in print("downloadManager运行中, 总进度:\(manager.progress.fractionCompleted)") }
        .success { (manager) in print("所有下载任务都成功了") }.failure { (manager) in
            if manager.status == .suspended { print("所有下载任务都暂停了") } else if manager.status == .failed { print("存在下载失败的任务")
            } else if manager.status == .canceled { print("所有下载任务都取消了") } else if manager.status == .removed { print("所有下载任务都移除了") } }
}
func a9() {
    var configuration = SessionConfiguration()
    configuration.allowsCellularAccess = true; configuration.maxConcurrentTasksLimit = 2; configuration.timeoutIntervalForRequest = 60
    sessionManager.configuration = configuration; sessionManager.configuration.allowsCellularAccess = true
    let task = sessionManager.download(URLString)                   // at once: G1
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { let later = sessionManager.download(URLString); print(task === later) }
}
class BackgroundDLViewModel {
    let backgroundManager: SessionManager = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.zimi")
        return SessionManager(configuration: configuration)
    }()
}
func b1() {
    SessionManager.default.download(URLString) { (url, response) -> (destinationURL: URL, options: DownloadRequest.DownloadOptions) in
        let docUrl = FileManager.default.urls(for: FileManager.SearchPathDirectory.documentDirectory, in: FileManager.SearchPathDomainMask.userDomainMask).first
        let fileUrl = docUrl?.appendingPathComponent(response.suggestedFilename!)
        return (fileUrl!, [.removePreviousFile, .createIntermediateDirectories])
    }.downloadProgress { (progress) in print("\(progress)") }.response { (respond) in print("\(respond)") }
}
func b2() {                                                          // a local manager: the transfer goes on, P6
    let configuration = URLSessionConfiguration.background(withIdentifier: "com.zimi"), backgroundManager = SessionManager(configuration: configuration)
    backgroundManager.download(URLString) { (url, response) -> (destinationURL: URL, options: DownloadRequest.DownloadOptions) in
        let documentUrl = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        let fileUrl = documentUrl?.appendingPathComponent(response.suggestedFilename!)
        return (fileUrl!, [.createIntermediateDirectories, .removePreviousFile])
    }
    .response { (response) in print("\(response)") }.downloadProgress { (progress) in print("\(progress.fractionCompleted)") }
}
func b3() { SessionManager.default.download(URLString, to: DownloadRequest.suggestedDownloadDestination()).response { print($0.destinationURL?.path ?? "") } }
func c1() {
    DownloadManager.default.maxDownloadCount = 3
    let model = DownloadModel(), manager = DownloadManager.default
    model.model.url = URLString; manager.download(model: model)
    print(manager.isCompletion(url: URLString), manager.isExistence(url: URLString), manager.getFile(url: URLString), manager.getCacheSize())
    manager.cancelTask(url: URLString); manager.cancelAllTask(); manager.updateDownloading(); manager.updateDownloadingStateWithSuspended()
    let all: [DownloadModel] = manager.getDownloadModels(), done = manager.getDownloadFinishModels(), rest = manager.getDownloadingModel()
    print(all.count, done.count, rest.count, all.first?.model.totalLength ?? 0)
    manager.deleteFile(url: URLString); manager.deleteAllFile()
}
let snippets: [String: () -> Void] = ["a1": a1, "a2": a2, "a3": a3, "a4": a4, "a5": listViewController.a5, "a6": a6, "a7": a7, "a8": a8, "a9": a9,
    "b1": b1, "b2": b2, "b3": b3, "c1": c1, "delegate": { appDelegate.application(BackgroundApplication.shared, handleEventsForBackgroundURLSession: sessionManager.identifier) { print("delivered") } }]
snippets[CommandLine.arguments.dropFirst().first ?? "a1"]?()
RunLoop.main.run()
