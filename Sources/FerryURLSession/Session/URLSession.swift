public import Foundation
public import FoundationNetworking
import Synchronization

/// Makes and owns tasks that behave alike.
///
/// Every method may be called from any thread. Behaves as Apple's `URLSession`; a misuse that raises an exception there is a
/// precondition failure here.
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
        /// Strong until the session has ended, as on Apple's platforms.
        var delegate: (any URLSessionDelegate)?
        var description: String?
    }

    let kind: SessionKind
    let registry = TaskRegistry()
    /// A copy of the configuration that the session was made with; never changed.
    let copied: URLSessionConfiguration
    private let queue: OperationQueue
    private let state: Mutex<State>
    let isShared: Bool
    /// Set once, before the initializer returns.
    private let engineBox = Mutex<(any SessionEngine)?>(nil)
    /// The session that was open already for the same identifier; this object acts on it.
    private let first: URLSession?

    private static let sharedSession = URLSession(.default, nil, nil, isShared: true)

    /// A session of the app that cannot be invalidated, with a default configuration and no delegate.
    open class var shared: URLSession { sharedSession }

    /// A session without delegate: its tasks have completion handlers or are awaited. Not for background sessions.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// - Parameters:
    ///   - delegate: held until the session has become invalid. Background sessions need one.
    ///   - queue: where the delegate and completion handlers are called; nil makes a serial one.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration, delegate, queue, isShared: false)
    }

    /// - Parameters:
    ///   - given: carries the tasks in place of the engine that the configuration asks for.
    ///   - isShown: whether the configuration is one that is shown: the session's own tasks run in this process.
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
        // Looked up and added in one step, so that of two that are made at a time one acts for both.
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

    /// The session that this object acts on: itself, but for a second object with the identifier of an open session.
    var acting: URLSession { first ?? self }

    var engine: any SessionEngine {
        guard let engine = acting.engineBox.withLock({ $0 }) else { preconditionFailure("A session has an engine.") }
        return engine
    }

    // MARK: What it is

    /// A copy of what the session was made with.
    open var configuration: URLSessionConfiguration {
        guard let copy = acting.copied.copy() as? URLSessionConfiguration else { return acting.copied }
        return copy
    }

    open var delegate: (any URLSessionDelegate)? { acting.state.withLock(\.delegate) }
    open var delegateQueue: OperationQueue { acting.queue }

    /// A text of the app's own.
    open var sessionDescription: String? {
        get { acting.state.withLock(\.description) }
        set { acting.state.withLock { $0.description = newValue } }
    }

    // MARK: The end

    /// Takes no more tasks; existing tasks continue. The last call is `didBecomeInvalidWithError(nil)`.
    open func finishTasksAndInvalidate() {
        let session = acting
        guard !session.isShared else { return }
        session.invalidate(cancels: false)
    }

    /// Takes no more tasks, and cancels the existing ones.
    open func invalidateAndCancel() {
        let session = acting
        guard !session.isShared else { return }
        session.invalidate(cancels: true)
    }

    /// Takes no more tasks. The session's end waits for the tasks of an earlier process, which are its own too.
    private func invalidate(cancels: Bool) {
        let engine = engine
        guard engine.isRestoring else {
            if registry.invalidate() { becameInvalid() }
            guard cancels else { return }
            // Not on this thread: a task shows the state in which it was until its cancellation begins, as on Apple's systems.
            return DispatchQueue.global().async { [registry] in
                for task in registry.all { task.cancel() }
            }
        }
        registry.beginInvalidation()
        if cancels { for task in registry.all { task.cancel() } }
        Task(name: "invalidation of a session") {
            await engine.restored()
            // A cancellation waits for the daemon, on a thread that Swift's tasks do not need.
            DispatchQueue.global().async {
                if cancels { for task in self.registry.all { task.cancel() } }
                if self.registry.invalidate() { self.becameInvalid() }
            }
        }
    }

    /// A task has had its last call.
    func ended(_ task: URLSessionTask) {
        engine.ended(task)
        if registry.remove(task) { becameInvalid() }
    }

    private func becameInvalid() {
        let engine = engine
        Task(name: "end of a session") {
            await engine.invalidated()
            // Before the delegate is told: it may make the next session of the identifier in that call, and a task of it.
            await engine.close()
            if let identifier = copied.identifier { BackgroundSessions.shared.remove(self, identifier) }
            await DelegateCalls(queue: queue).run {
                self.delegate?.urlSession(self, didBecomeInvalidWithError: nil)
            }
            state.withLock { $0.delegate = nil }
        }
    }

    // MARK: Stores

    /// Empties the session's stores of cookies and credentials, then calls back on the delegate queue.
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        let storage = acting.copied.httpCookieStorage
        for cookie in storage?.cookies ?? [] { storage?.deleteCookie(cookie) }
        acting.copied.urlCredentialStorage?.removeAll()
        acting.copied.urlCache?.removeAllCachedResponses()
        acting.queue.addOperation(completionHandler)
    }

    open func reset() async { await withCheckedContinuation { done in reset { done.resume() } } }

    /// Calls back on the delegate queue once what the session keeps is stored; it stores as it goes.
    open func flush(completionHandler: @escaping @Sendable () -> Void) { acting.queue.addOperation(completionHandler) }

    open func flush() async { await withCheckedContinuation { done in flush { done.resume() } } }

    // MARK: Tasks that there are

    /// The tasks that have not ended, never-resumed ones too, by kind; called on the delegate queue.
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

    /// The tasks that have not ended, never-resumed ones too; called on the delegate queue.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let session = acting
        Task(name: "tasks of a session") {
            await session.engine.restored()
            let tasks = session.registry.all
            // A task leaves the session's list when the call that tells of its completion has returned.
            session.queue.addOperation { completionHandler(tasks.filter { $0.toldState != .completed }) }
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

    /// A task whose result is its bytes.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        make(.data(request)) { URLSessionDataTask($0, of: $1, work: $2) }
    }

    open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// A task whose result is its bytes, all at once. Not for background sessions.
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

    /// A task whose result is a file.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        make(.download(request)) { URLSessionDownloadTask($0, of: $1, work: $2) }
    }

    open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// A task whose result is a file, which is there until the handler returns. Not for background sessions.
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

    /// A task that goes on where another one stopped. Data that cannot be used end it with
    /// `URLError.cannotWriteToFile`.
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        make(Self.continuing(resumeData)) { URLSessionDownloadTask($0, of: $1, work: $2) }
    }

    /// A task that goes on where another one stopped. Not for background sessions.
    open func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        refuseHandlersInBackground()
        return make(Self.continuing(resumeData)) {
            URLSessionDownloadTask($0, of: $1, work: $2, handler: .file(completionHandler))
        }
    }

    /// A task that sends a file.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        make(.upload(request, .file(fileURL))) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// A task that sends a file. Not for background sessions.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseHandlersInBackground()
        return make(.upload(request, .file(fileURL))) {
            URLSessionUploadTask($0, of: $1, work: $2, handler: .data(completionHandler))
        }
    }

    /// A task that sends bytes. Not for background sessions.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuseDataInBackground()
        return make(.upload(request, .bytes(bodyData))) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// A task that sends bytes. Not for background sessions.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        refuseDataInBackground()
        return make(.upload(request, .bytes(bodyData ?? Data()))) {
            URLSessionUploadTask($0, of: $1, work: $2, handler: .data(completionHandler))
        }
    }

    /// A task that sends a stream, which the delegate gives. Not for background sessions.
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        precondition(acting.kind != .background, "Upload tasks with streams are not supported in background sessions.")
        return make(.upload(request, .stream)) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// A task that goes on with an upload where the server has stopped. Data that cannot be used, or were used before, end it
    /// with `URLError.unknown`.
    open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        make(continuingUpload(resumeData)) { URLSessionUploadTask($0, of: $1, work: $2) }
    }

    /// A task that goes on with an upload. Not for background sessions.
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
        ResumeData(data).map(TaskWork.downloadContinuing) ?? .impossible(URLError(.cannotWriteToFile))
    }
}
