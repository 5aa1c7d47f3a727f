public import Foundation
public import FoundationNetworking
import Synchronization

/// A group of related data transfer tasks.
///
/// Every method may be called from any thread. Behaves as Apple's `URLSession`. A misuse that raises an exception there
/// is a precondition failure here.
open class URLSession: NSObject, @unchecked Sendable {  // SAFETY: constants, and state in Mutexes
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling
        case cancelAuthenticationChallenge
        case rejectProtectionSpace
    }

    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest
        case cancel
    }

    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow
        case becomeDownload
    }

    private struct State {
        /// Retained until the session has ended, as on Apple's platforms.
        var delegate: (any URLSessionDelegate)?
        var description: String?
    }

    let kind: SessionKind
    let registry = TaskRegistry()
    /// A copy of the configuration at creation. Never changed.
    let copied: URLSessionConfiguration
    private let queue: OperationQueue
    private let state: Mutex<State>
    let isShared: Bool
    /// Set once, before the initializer returns.
    private let engineBox = Mutex<(any SessionEngine)?>(nil)
    /// The session already open for the same identifier. This object forwards to it.
    private let first: URLSession?

    private static let sharedSession = URLSession(.default, nil, nil, isShared: true)

    /// The shared session, with the default configuration and no delegate. It cannot be invalidated.
    open class var shared: URLSession { sharedSession }

    /// Creates a session with the default configuration and no delegate.
    @available(*, deprecated, message: "use URLSession(configuration:)")
    public convenience override init() { self.init(configuration: .default, delegate: nil, delegateQueue: nil) }

    /// Creates a session without a delegate. Its tasks have completion handlers or are awaited. Not for background
    /// sessions.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// - Parameters:
    ///   - configuration: The configuration, which is copied.
    ///   - delegate: Retained until the session has become invalid. Required for background sessions.
    ///   - queue: The queue of delegate calls and completion handlers; with nil, the session creates a serial one.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration, delegate, queue, isShared: false)
    }

    /// - Parameters:
    ///   - given: Replaces the engine of the configuration's kind.
    ///   - isShown: Whether the configuration is only shown. The session's own tasks then run in this process.
    init(
        _ configuration: URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue?,
        isShared: Bool = false, engine given: (any SessionEngine)? = nil, isShown: Bool = false
    ) {
        guard let copied = configuration.copy() as? URLSessionConfiguration else {
            preconditionFailure("The copy of a configuration is a configuration.")
        }
        kind = isShown ? .foreground : copied.kind
        precondition(
            kind != .background || delegate != nil, "A background session needs a delegate to deliver its events to.")
        self.copied = copied
        self.queue = queue ?? Self.serialQueue()
        self.isShared = isShared
        state = Mutex(State(delegate: delegate))
        // Look up and add under one lock, so that only one of two sessions created concurrently is active.
        let identifier = isShown ? nil : copied.identifier
        if identifier != nil { BackgroundSessions.shared.opening.lock() }
        defer { if identifier != nil { BackgroundSessions.shared.opening.unlock() } }
        first = identifier.flatMap { BackgroundSessions.shared.session(for: $0) }
        super.init()
        guard first == nil else { return }
        if let identifier { BackgroundSessions.shared.add(self, identifier) }
        let engine: any SessionEngine =
            given
            ?? (kind == .background
                ? BackgroundEngine(self, configuration: copied) : ForegroundEngine(configuration: copied))
        engineBox.withLock { $0 = engine }
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = "ferry.session.delegate"
        return queue
    }

    /// The session that performs the work: the session already open for the identifier, otherwise this one.
    var acting: URLSession { first ?? self }

    var engine: any SessionEngine {
        guard let engine = acting.engineBox.withLock({ $0 }) else { preconditionFailure("A session has an engine.") }
        return engine
    }

    // MARK: Properties

    /// A copy of the configuration at creation.
    open var configuration: URLSessionConfiguration {
        guard let copy = acting.copied.copy() as? URLSessionConfiguration else { return acting.copied }
        return copy
    }

    open var delegate: (any URLSessionDelegate)? { acting.state.withLock(\.delegate) }
    open var delegateQueue: OperationQueue { acting.queue }

    /// The app's description of the session.
    open var sessionDescription: String? {
        get { acting.state.withLock(\.description) }
        set { acting.state.withLock { $0.description = newValue } }
    }

    // MARK: The end

    /// Invalidates the session once its tasks have completed. New tasks are not accepted. The last delegate call is
    /// `didBecomeInvalidWithError(nil)`.
    open func finishTasksAndInvalidate() {
        let session = acting
        guard !session.isShared else { return }
        session.invalidate(cancels: false)
    }

    /// Cancels all tasks and invalidates the session. New tasks are not accepted.
    open func invalidateAndCancel() {
        let session = acting
        guard !session.isShared else { return }
        session.invalidate(cancels: true)
    }

    /// Invalidates the session. Its end waits for the restored tasks of an earlier process.
    private func invalidate(cancels: Bool) {
        let engine = engine
        guard engine.isRestoring else {
            if registry.invalidate() { becameInvalid() }
            guard cancels else { return }
            // Asynchronously: as on Apple's systems, tasks keep their state until their cancellation begins.
            return DispatchQueue.global().async { [registry] in
                for task in registry.all { task.cancel() }
            }
        }
        registry.beginInvalidation()
        if cancels { for task in registry.all { task.cancel() } }
        Task(name: "invalidation of a session") {
            await engine.restored()
            // A cancellation blocks on the daemon. Use a thread outside Swift's pool.
            DispatchQueue.global().async {
                if cancels { for task in self.registry.all { task.cancel() } }
                if self.registry.invalidate() { self.becameInvalid() }
            }
        }
    }

    /// Removes a task after its last delegate call has returned.
    func ended(_ task: URLSessionTask) {
        engine.ended(task)
        if registry.remove(task) { becameInvalid() }
    }

    private func becameInvalid() {
        let engine = engine
        Task(name: "end of a session") {
            await engine.invalidated()
            // Before the last delegate call, since the delegate may create the identifier's next session and a task in
            // it.
            await engine.close()
            if let identifier = copied.identifier { BackgroundSessions.shared.remove(self, identifier) }
            await DelegateCalls(queue: queue).run {
                self.delegate?.urlSession(self, didBecomeInvalidWithError: nil)
            }
            state.withLock { $0.delegate = nil }
        }
    }

    // MARK: Stores

    /// Empties the session's cookie storage, credential storage and cache, then calls the handler on the delegate
    /// queue.
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        let storage = acting.copied.httpCookieStorage
        for cookie in storage?.cookies ?? [] { storage?.deleteCookie(cookie) }
        acting.copied.urlCredentialStorage?.removeAll()
        acting.copied.urlCache?.removeAllCachedResponses()
        acting.queue.addOperation(completionHandler)
    }

    open func reset() async { await withCheckedContinuation { done in reset { done.resume() } } }

    /// Calls the handler on the delegate queue. The session's stores are written immediately, so there is nothing to
    /// flush.
    open func flush(completionHandler: @escaping @Sendable () -> Void) { acting.queue.addOperation(completionHandler) }

    open func flush() async { await withCheckedContinuation { done in flush { done.resume() } } }

    // MARK: Existing tasks

    /// Calls the handler on the delegate queue with the incomplete tasks by kind, including tasks that were never
    /// resumed.
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask])
            -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// Calls the handler on the delegate queue with the incomplete tasks, including tasks that were never resumed.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let session = acting
        Task(name: "tasks of a session") {
            await session.engine.restored()
            let tasks = session.registry.all
            // A completed task stays in the registry until its completion call has returned.
            session.queue.addOperation { completionHandler(tasks.filter { $0.reportedState != .completed }) }
        }
    }

    open var allTasks: [URLSessionTask] {
        get async { await withCheckedContinuation { tasks in getAllTasks { tasks.resume(returning: $0) } } }
    }

    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { tasks in
                getTasksWithCompletionHandler { tasks.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    // MARK: Making tasks

    /// Creates a task that returns the content in memory.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        make(.data(request)) { URLSessionDataTask($0, of: $1, work: $2) }
    }

    open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Creates a task that returns the content in memory, all at once. Not for background sessions.
    open func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        refuseHandlersInBackground()
        return make(.data(request)) { URLSessionDataTask($0, of: $1, work: $2, handler: .data(completionHandler)) }
    }

    open func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that downloads to a file.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        make(.download(request)) { URLSessionDownloadTask($0, of: $1, work: $2) }
    }

    open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// Creates a task that downloads to a file, which exists until the handler returns. Not for background sessions.
    open func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseHandlersInBackground()
        return make(.download(request)) {
            URLSessionDownloadTask($0, of: $1, work: $2, handler: .file(completionHandler))
        }
    }

    open func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that resumes a download. With invalid resume data it fails with `URLError.cannotWriteToFile`.
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        make(Self.continuing(resumeData)) { URLSessionDownloadTask($0, of: $1, work: $2) }
    }

    /// Creates a task that resumes a download. Not for background sessions.
    open func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseHandlersInBackground()
        return make(Self.continuing(resumeData)) {
            URLSessionDownloadTask($0, of: $1, work: $2, handler: .file(completionHandler))
        }
    }

    /// Creates a task that uploads a file.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        make(.upload(request, .file(fileURL))) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// Creates a task that uploads a file. Not for background sessions.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlersInBackground()
        return make(.upload(request, .file(fileURL))) {
            URLSessionUploadTask($0, of: $1, work: $2, handler: .data(completionHandler))
        }
    }

    /// Creates a task that uploads data. Not for background sessions.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuseDataInBackground()
        return make(.upload(request, .bytes(bodyData))) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// Creates a task that uploads data. Not for background sessions.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseDataInBackground()
        return make(.upload(request, .bytes(bodyData ?? Data()))) {
            URLSessionUploadTask($0, of: $1, work: $2, handler: .data(completionHandler))
        }
    }

    /// Creates a task that uploads a stream provided by the delegate. Not for background sessions.
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        precondition(acting.kind != .background, "Upload tasks with streams are not supported in background sessions.")
        return make(.upload(request, .stream)) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// Creates a task that resumes an upload after the bytes that the server has. With resume data that is invalid or
    /// was used before, it fails with `URLError.unknown`.
    open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        make(continuingUpload(resumeData)) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// Creates a task that resumes an upload. Not for background sessions.
    open func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlersInBackground()
        return make(continuingUpload(resumeData)) {
            URLSessionUploadTask($0, of: $1, work: $2, handler: .data(completionHandler))
        }
    }

    private static func continuing(_ data: Data) -> TaskWork {
        ResumeData(data).map(TaskWork.downloadContinuing) ?? .impossible(.unusableResumeData(.unreadable))
    }
}
