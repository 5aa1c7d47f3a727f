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
public final class DownloadRequest: Sendable {
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

    struct State {
        var destination: DownloadFileDestination?
        var acceptable: Set<Int>?
        var responses: [Responder] = []
        var result: DefaultDownloadResponse?
        /// Whether the app has asked for the file in this process, so that it may be finished.
        var isWanted: Bool
        var hasEnded = false
        var isFinishing = false
    }

    /// A closure that gets the result, and its queue.
    struct Responder: Sendable {
        let queue: DispatchQueue
        let handler: Handler<DefaultDownloadResponse>
    }

    public let downloadTask: DownloadTask
    let session: ManagedSession?
    let state: Mutex<State>

    /// - Parameter session: nil for a request that could not be made.
    init(_ task: DownloadTask, in session: ManagedSession?, isWanted: Bool = false) {
        downloadTask = task
        self.session = session
        state = Mutex(State(isWanted: isWanted))
    }

    public var progress: Progress { downloadTask.progress }

    /// The request as it was made; nil if it could not be.
    public var request: URLRequest? {
        guard session != nil else { return nil }
        var request = URLRequest(url: downloadTask.url)
        let (method, headers) = downloadTask.state.withLock { ($0.asked.method, $0.asked.headers) }
        request.httpMethod = method.rawValue
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    public var response: HTTPURLResponse? { downloadTask.response }

    // MARK: The chain

    /// Calls a closure when bytes have come, at most ten times a second.
    @discardableResult
    public func downloadProgress(
        queue: DispatchQueue = .main, closure: @escaping Handler<Progress>
    ) -> Self {
        let isMain = queue.isMain
        downloadTask.progress(onMainQueue: isMain) { task in
            let progress = task.progress
            if isMain { closure(progress) } else { queue.async { closure(progress) } }
        }
        return self
    }

    /// Calls a closure with the result; each that is registered once.
    ///
    /// - Parameter queue: nil is the main queue.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil, completionHandler: @escaping Handler<DefaultDownloadResponse>
    ) -> Self {
        let result = state.withLock { state in
            let responder = Responder(queue: queue ?? .main, handler: completionHandler)
            state.isWanted = true
            if state.result == nil || state.isFinishing { state.responses.append(responder) }
            return state.isFinishing ? nil : state.result
        }
        if let result {
            (queue ?? .main).call { completionHandler(result) }
        } else {
            takeUp()
            finishIfWanted(after: nil)
        }
        return self
    }

    /// Takes responses with these statuses alone for the file; without it statuses from 200 to 299.
    @discardableResult
    public func validate<S: Sequence>(statusCode acceptable: S) -> Self where S.Element == Int {
        let statuses = Set(acceptable)
        state.withLock { $0.acceptable = statuses }
        return self
    }

    /// Takes responses with statuses from 200 to 299 alone for the file.
    @discardableResult
    public func validate() -> Self { validate(statusCode: 200..<300) }

    // MARK: Control

    /// Stops the download and keeps its bytes.
    public func suspend() { session?.perform(.suspend, on: [downloadTask]) { _ in } }

    /// Lets the download go on.
    public func resume() { session?.perform(.start, on: [downloadTask]) { _ in } }

    /// Ends the download and deletes its bytes; the result is an error.
    public func cancel() { session?.perform(.cancel, on: [downloadTask]) { _ in } }
}
