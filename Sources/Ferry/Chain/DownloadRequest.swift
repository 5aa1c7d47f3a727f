public import Dispatch
import FerryCore
import FerryURLSession
public import Foundation
public import FoundationNetworking
import Synchronization

/// A download whose app says where its file goes once the file is there.
///
/// ```swift
/// manager.download(url) { temporary, response in
///     (folder.appendingPathComponent(response.suggestedFilename ?? "file"), [.removePreviousFile])
/// }
/// .response { print($0.destinationURL?.path ?? "no file", $0.error ?? "no error") }
/// ```
/// If the app ends meanwhile, the daemon goes on, and the same call in the next process takes the download up again.
public final class DownloadRequest: Request, @unchecked Sendable {  // SAFETY: as its superclass
    /// What happens at the place that a destination names.
    public struct DownloadOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Makes the folders of the destination.
        public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
        /// Takes the place of a file that is there, in one step.
        public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
    }

    /// Says where a file goes; called once, on the manager's operation queue, when the file is whole.
    ///
    /// The file at `temporaryURL` is there as long as the closure runs.
    public typealias DownloadFileDestination =
        @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)

    /// Gets the result on its queue.
    struct Responder: Sendable {
        let queue: DispatchQueue
        /// Makes the call of the app's closure, on the operation queue.
        let prepare: @Sendable (DefaultDownloadResponse) -> (@Sendable () -> Void)
    }

    /// A request for a download that an earlier process has left.
    convenience init(_ task: DownloadTask, in shared: ManagedSession) {
        self.init(State(task: task, chain: ChainSettings()), in: shared)
    }

    public var progress: Progress { downloadTask.progress }

    /// What `download(resumingWith:to:)` goes on with; nil before a failure or `cancel()`, and if the server allows no
    /// continuation.
    public var resumeData: Data? { state.withLock(\.ending.resumeData) }

    // MARK: The chain

    /// Calls a closure when bytes have come, at most ten times a second.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping Handler<Progress>
    ) -> Self {
        let task = state.withLock { state in
            state.progress = (queue, closure)
            return state.task
        }
        tell(queue, closure, of: task)
        return self
    }

    /// Lets a task tell the progress closure.
    func tell(_ queue: DispatchQueue, _ closure: @escaping Handler<Progress>, of task: DownloadTask) {
        let isMain = queue.isMain
        task.progress(onMainQueue: isMain) { task in
            let progress = task.progress
            if isMain { closure(progress) } else { queue.async { closure(progress) } }
        }
    }

    /// Calls a closure with the result; each that is registered once.
    ///
    /// - Parameter queue: nil is the main queue.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil, completionHandler: @escaping Handler<DefaultDownloadResponse>
    ) -> Self {
        respond(on: queue) { result in { completionHandler(result) } }
    }

    /// Calls what a closure makes of the result; each that is registered once.
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
            takeUp()
            finishIfWanted(after: nil)
        }
        return self
    }

    // MARK: Control

    /// Ends the download and keeps what ``resumeData`` needs; the result is an error.
    public override func cancel() { cancel(createResumeData: true) }

    /// Ends the download; the result is an error.
    ///
    /// - Parameter createResumeData: whether its bytes are kept for ``resumeData``, or deleted.
    public func cancel(createResumeData: Bool) {
        guard createResumeData else { return super.cancel() }
        release()
        post(Notification.Name.Task.DidCancel)
    }
}
