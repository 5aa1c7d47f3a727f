public import Dispatch
import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// A download whose app chooses the file's destination when the file is complete.
///
/// ```swift
/// manager.download(url) { temporary, response in
///     (folder.appendingPathComponent(response.suggestedFilename ?? "file"), [.removePreviousFile])
/// }
/// .response { print($0.destinationURL?.path ?? "no file", $0.error ?? "no error") }
/// ```
/// If the app ends meanwhile, the daemon continues the download, and the same call in the next process picks it up.
public final class DownloadRequest: Request, @unchecked Sendable {  // SAFETY: as its superclass
    /// Options for moving a file to its destination.
    public struct DownloadOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Creates missing folders of the destination.
        public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
        /// Atomically replaces an existing file.
        public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
    }

    /// Chooses the destination. Called once, on the manager's operation queue, when the file is complete.
    ///
    /// The file at `temporaryURL` exists while the closure runs.
    public typealias DownloadFileDestination =
        @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)

    /// A handler of the result, on its queue.
    struct Responder: Sendable {
        let queue: DispatchQueue
        /// Prepares the call of the app's closure, on the operation queue.
        let prepare: @Sendable (DefaultDownloadResponse) -> (@Sendable () -> Void)
    }

    /// A request for a download of an earlier process.
    convenience init(_ task: DownloadTask, in shared: ManagedSession) {
        self.init(State(task: task, hooks: ChainHooks()), in: shared)
    }

    public var progress: Progress { downloadTask.progress }

    /// Resume data for `download(resumingWith:to:)`. Nil before a failure or `cancel()`, and if the server does not
    /// support resuming.
    public var resumeData: Data? { state.withLock(\.ending.resumeData) }

    // MARK: The chain

    /// Calls a closure when bytes have arrived, at most ten times a second.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping Handler<Progress>
    ) -> Self {
        let task = state.withLock { state in
            state.progress = (queue, closure)
            return state.task
        }
        notify(queue, closure, of: task)
        return self
    }

    /// Connects a task's progress with the closure.
    func notify(_ queue: DispatchQueue, _ closure: @escaping Handler<Progress>, of task: DownloadTask) {
        let isMain = queue.isMain
        task.progress(onMainQueue: isMain) { task in
            let progress = task.progress
            if isMain { closure(progress) } else { queue.async { closure(progress) } }
        }
    }

    /// Calls a closure with the result, each registered closure once.
    ///
    /// - Parameters:
    ///   - queue: Nil for the main queue.
    ///   - completionHandler: The closure.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil, completionHandler: @escaping Handler<DefaultDownloadResponse>
    ) -> Self {
        respond(on: queue) { result in { completionHandler(result) } }
    }

    /// Calls the closure prepared from the result, each registered one once.
    func respond(
        on queue: DispatchQueue?, _ prepare: @escaping @Sendable (DefaultDownloadResponse) -> (@Sendable () -> Void)
    ) -> Self {
        let responder = Responder(queue: queue ?? .main, prepare: prepare)
        let result = state.withLock { state in
            state.ending.isWanted = true
            if state.ending.result == nil || state.ending.isFinishing { state.ending.responders.append(responder) }
            return state.ending.isFinishing ? nil : state.ending.result
        }
        if let result {
            responder.queue.call(prepare(result))
        } else {
            adoptResult()
            finishIfWanted(after: nil)
        }
        return self
    }

    // MARK: Control

    /// Cancels the download and keeps its bytes for ``resumeData``. The result is an error.
    public override func cancel() { cancel(createResumeData: true) }

    /// Cancels the download. The result is an error.
    ///
    /// - Parameter createResumeData: Whether to keep its bytes for ``resumeData``, or delete them.
    public func cancel(createResumeData: Bool) {
        guard createResumeData else { return super.cancel() }
        release()
        post(Notification.Name.Task.DidCancel)
    }
}
