import FerryCore
import Foundation
import Synchronization

/// A download manager with models, in the style of small hand-made ones.
///
/// The daemon carries out the downloads. All members may be used on any queue.
public final class DownloadManager: Sendable {
    public static let `default` = DownloadManager(identifier: "DownloadBackgroundSessionIdentifier")

    /// Default maximum number of running downloads.
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

    /// Maximum number of running downloads. Values below 1 count as 1.
    public var maxDownloadCount: Int {
        get { manager.configuration.maxConcurrentTasksLimit }
        set { manager.configuration.maxConcurrentTasksLimit = max(1, newValue) }
    }

    /// The completion handler that the app's delegate was given for the events of the manager's session. Called once,
    /// on the main queue.
    public var backgroundSessionCompletionHandler: (() -> Void)? {
        get { manager.completionHandler }
        set { manager.completionHandler = newValue }
    }

    // MARK: One download

    /// Downloads the URL of a model, or resumes its download. Returns once the daemon has stored that.
    ///
    /// A URL that is not an http or https URL with a host makes the model fail.
    public func download(model: DownloadModel) {
        guard let url = model.model.url, let task = manager.download(url, fileName: model.model.fileName) else {
            return model.model.fail()
        }
        adopt(model, of: task)
    }

    /// Whether the finished file of a URL exists unchanged.
    public func isCompletion(url: String) -> Bool { !getFile(url: url).isEmpty }

    /// Whether a finished or unfinished file of a URL exists.
    public func isExistence(url: String) -> Bool {
        guard let task = manager.fetchTask(url) else { return false }
        return isCompletion(url: url) || (task.status != .succeeded && task.state.withLock(\.bytes.held) > 0)
    }

    /// Returns the path of the finished file of a URL. Empty if it does not exist.
    public func getFile(url: String) -> String {
        guard let task = manager.fetchTask(url), task.status == .succeeded else { return "" }
        return Self.size(of: task) == nil ? "" : task.filePath
    }

    /// Suspends the download of a URL and keeps its bytes.
    public func cancelTask(url: String) { manager.suspend(url) }

    /// Removes the download of a URL and deletes its file, finished or not.
    public func deleteFile(url: String) {
        models.withLock { $0[url] = nil }
        manager.remove(url, completely: true)
    }

    // MARK: All downloads

    /// Suspends all downloads and keeps their bytes.
    public func cancelAllTask() { manager.totalSuspend() }

    /// Removes all downloads and deletes their files, finished or not.
    public func deleteAllFile() {
        models.withLock { $0 = [:] }
        manager.totalRemove(completely: true)
    }

    /// Returns the size of the finished and unfinished files in bytes.
    public func getCacheSize() -> Double {
        manager.tasks.reduce(0) { sum, task in
            sum + Double(task.status == .succeeded ? Self.size(of: task) ?? 0 : task.state.withLock(\.bytes.held))
        }
    }

    /// Returns all downloads, in order of creation.
    public func getDownloadModels() -> [DownloadModel] { manager.tasks.map { model(of: $0) } }

    /// Returns the finished downloads.
    public func getDownloadFinishModels() -> [DownloadModel] {
        getDownloadModels().filter { $0.states == .completed }
    }

    /// Returns the unfinished downloads.
    public func getDownloadingModel() -> [DownloadModel] {
        getDownloadModels().filter { $0.states != .completed }
    }

    /// Suspends all unfinished downloads.
    public func updateDownloadingStateWithSuspended() { manager.totalSuspend() }

    /// Resumes all unfinished downloads.
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

    /// Returns the size of a finished file in bytes, or nil if it has changed.
    private static func size(of task: DownloadTask) -> Int64? {
        let (size, dates, wasThere) = task.state.withLock { ($0.bytes.received, $0.dates, $0.file.wasThere) }
        guard let file = FileFacts(task.filePath), file.size == size else { return nil }
        // An unchanged file was last written between the start and the end of the download.
        let isWrittenThen = (dates.start - 1...max(dates.start, dates.end) + 1).contains(Double(file.modified) / 1e9)
        return wasThere || isWrittenThen ? size : nil
    }
}
