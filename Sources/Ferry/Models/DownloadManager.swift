import FerryCore
import Foundation
import Synchronization

/// A download manager whose downloads are models, in the style of small hand-made ones.
///
/// The daemon carries the downloads. All members may be used on any queue.
public final class DownloadManager: Sendable {
    public static let `default` = DownloadManager(identifier: "DownloadBackgroundSessionIdentifier")

    /// Downloads at the same time until the app sets another number.
    private static let usualCount = 3

    private let manager: SessionManager
    private let models = Mutex<[String: DownloadModel]>([:])

    init(identifier: String, cache: Cache? = nil) {
        var configuration = SessionConfiguration()
        configuration.maxConcurrentTasksLimit = Self.usualCount
        configuration.allowsCellularAccess = true
        manager = SessionManager(identifier, configuration: configuration, cache: cache)
        manager.logger.option = .none
    }

    /// Downloads that run at the same time; values below 1 are 1.
    public var maxDownloadCount: Int {
        get { manager.configuration.maxConcurrentTasksLimit }
        set { manager.configuration.maxConcurrentTasksLimit = max(1, newValue) }
    }

    /// What the app's delegate was given for the events of the manager's session; called once on the main queue.
    public var backgroundSessionCompletionHandler: (() -> Void)? {
        get { manager.completionHandler }
        set { manager.completionHandler = newValue }
    }

    // MARK: One download

    /// Downloads the URL of a model, or goes on with it; returns once the daemon has stored that.
    ///
    /// A URL that is no http or https URL with a host makes the model fail.
    public func download(model: DownloadModel) {
        guard let url = model.model.url, let task = manager.download(url, fileName: model.model.fileName) else {
            return model.model.fail()
        }
        adopt(model, of: task)
    }

    /// Whether the file of a URL is there as it was downloaded.
    public func isCompletion(url: String) -> Bool { !getFile(url: url).isEmpty }

    /// Whether anything of a URL is on disk: the file, or a part of it.
    public func isExistence(url: String) -> Bool {
        guard let task = manager.fetchTask(url) else { return false }
        return isCompletion(url: url) || (task.status != .succeeded && task.state.withLock(\.bytes.held) > 0)
    }

    /// The path of the finished file of a URL; empty if it is not there.
    public func getFile(url: String) -> String {
        guard let task = manager.fetchTask(url), task.status == .succeeded else { return "" }
        return Self.size(of: task) == nil ? "" : task.filePath
    }

    /// Stops the download of a URL and keeps its bytes.
    public func cancelTask(url: String) { manager.suspend(url) }

    /// Forgets the download of a URL and deletes its file, finished or not.
    public func deleteFile(url: String) {
        models.withLock { $0[url] = nil }
        manager.remove(url, completely: true)
    }

    // MARK: All downloads

    /// Stops all downloads and keeps their bytes.
    public func cancelAllTask() { manager.totalSuspend() }

    /// Forgets all downloads and deletes their files, finished or not.
    public func deleteAllFile() {
        models.withLock { $0 = [:] }
        manager.totalRemove(completely: true)
    }

    /// Bytes of the finished and unfinished files.
    public func getCacheSize() -> Double {
        manager.tasks.reduce(0) { sum, task in
            sum + Double(task.status == .succeeded ? Self.size(of: task) ?? 0 : task.state.withLock(\.bytes.held))
        }
    }

    /// All downloads, in the order of their creation.
    public func getDownloadModels() -> [DownloadModel] { manager.tasks.map { model(of: $0) } }

    /// The downloads that are finished.
    public func getDownloadFinishModels() -> [DownloadModel] {
        getDownloadModels().filter { $0.states == .completed }
    }

    /// The downloads that are not finished.
    public func getDownloadingModel() -> [DownloadModel] {
        getDownloadModels().filter { $0.states != .completed }
    }

    /// Stops all downloads that are not finished.
    public func updateDownloadingStateWithSuspended() { manager.totalSuspend() }

    /// Lets all downloads go on that are not finished.
    public func updateDownloading() { manager.totalStart() }

    // MARK: -

    private func adopt(_ model: DownloadModel, of task: DownloadTask) {
        models.withLock { $0[task.url.absoluteString] = model }
        model.model.follow(task)
    }

    private func model(of task: DownloadTask) -> DownloadModel {
        models.withLock { models in
            if let model = models[task.url.absoluteString] { return model }
            let model = DownloadModel()
            model.model.url = task.url.absoluteString
            model.model.name = task.fileName
            model.model.follow(task)
            models[task.url.absoluteString] = model
            return model
        }
    }

    /// Bytes of a finished file; nil if it is not as it was downloaded.
    private static func size(of task: DownloadTask) -> Int64? {
        let (size, dates, wasThere) = task.state.withLock { ($0.bytes.received, $0.dates, $0.file.wasThere) }
        guard let file = FileFacts(task.filePath), file.size == size else { return nil }
        // What was fetched was last written between the start and the end of the download.
        let isWrittenThen = (dates.start - 1...max(dates.start, dates.end) + 1).contains(Double(file.modified) / 1e9)
        return wasThere || isWrittenThen ? size : nil
    }
}
