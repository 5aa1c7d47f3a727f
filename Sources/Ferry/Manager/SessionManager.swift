@_exported public import BackgroundURLSession
public import Dispatch
import FerryURLSession
public import Foundation
import Synchronization

/// A list of downloads that the daemon carries, whatever becomes of the app.
///
/// ```swift
/// let manager = SessionManager("movies", configuration: SessionConfiguration())
/// manager.download("https://example.org/film.mp4")?
///     .progress { print($0.progress.fractionCompleted) }
///     .success { print($0.filePath) }
/// ```
/// A manager is a handle: any number of them may have one identifier and show the same tasks, and what becomes of a manager
/// does not concern its downloads. All members may be used on any queue or actor, also in closures of the manager itself.
public final class SessionManager: Sendable {
    /// Posted when bytes have come, at most ten times a second, on the operation queue.
    public static let runningNotification = Notification.Name("Ferry.notification.name.sessionManager.running")
    /// Posted once for each change to suspended, failed, canceled, removed or succeeded, on the operation queue.
    public static let didCompleteNotification = Notification.Name("Ferry.notification.name.sessionManager.didComplete")

    /// The identifier as it was given, which the app's delegate is called with; empty if this process carries the downloads.
    public let identifier: String
    /// Where the files go.
    public let cache: Cache
    /// The queue of all closures that are not for the main queue.
    public let operationQueue: DispatchQueue
    /// What is told of the session's own events.
    public let delegate: SessionDelegate
    let shared: ManagedSession
    let chain: ChainSettings
    let slots = Mutex(Slots<SessionManager>())
    private let isIndicatorControlled = Mutex(true)

    /// Makes a manager of the downloads of an identifier, with the tasks that earlier managers and processes have left.
    ///
    /// Waits up to five seconds for the daemon, which is started if it does not run. The configuration applies to all
    /// managers of the identifier.
    /// - Parameters:
    ///   - logger: told of changes, refused calls and errors; without one they are printed.
    ///   - cache: where the files go; without one a folder of the app's own.
    ///   - operationQueue: the queue of closures that are not for the main queue.
    public convenience init(
        _ identifier: String, configuration: SessionConfiguration, logger: (any Logable)? = nil, cache: Cache? = nil,
        operationQueue: DispatchQueue = DispatchQueue(label: "Ferry.SessionManager.operationQueue")
    ) {
        let parts = ManagerParts(
            configuration: configuration, logger: LoggerBox(logger: logger ?? Logger(identifier: identifier)),
            cache: cache ?? Cache(identifier), operationQueue: operationQueue)
        self.init(
            identifier, shared: ManagedSessions.shared.session(identifier, parts), parts,
            chain: ChainSettings(), delegate: SessionDelegate())
    }

    init(
        _ identifier: String, shared: ManagedSession, _ parts: ManagerParts, chain: ChainSettings,
        delegate: SessionDelegate
    ) {
        self.identifier = identifier
        self.shared = shared
        self.chain = chain
        self.delegate = delegate
        cache = parts.cache
        operationQueue = parts.operationQueue
        shared.add(self, parts)
        delegate.attach(self)
        chain.hooks.attach(self)
        _ = Blocking.wait(seconds: ManagedSession.patience) { await shared.settled() }
    }

    // MARK: Settings

    /// The limits of the downloads; what is set applies at once, and restarts nothing.
    public var configuration: SessionConfiguration {
        get { shared.state.withLock(\.configuration) }
        set { shared.setConfiguration(newValue) }
    }

    /// What changes, refused calls and errors are told to; another one gets the next entry.
    public var logger: any Logable {
        get { shared.state.withLock(\.logger).logger }
        set {
            let box = LoggerBox(logger: newValue)
            shared.state.withLock { $0.logger = box }
        }
    }

    /// Whether an indicator of network activity would be controlled; there is none on Linux.
    public var isControlNetworkActivityIndicator: Bool {
        get { isIndicatorControlled.withLock { $0 } }
        set { isIndicatorControlled.withLock { $0 = newValue } }
    }

    /// What the app's delegate was given for the events of the identifier: called once on the main queue when all have been told.
    public var completionHandler: (() -> Void)? {
        get { shared.events.completionHandler }
        set { shared.events.completionHandler = newValue }
    }

    /// The same as ``completionHandler``.
    public var backgroundCompletionHandler: (() -> Void)? {
        get { shared.events.completionHandler }
        set { shared.events.completionHandler = newValue }
    }

    /// A session that shows the manager's configuration, its identifier and its unfinished downloads. Requests of the app's
    /// own run in this process.
    public var session: URLSession {
        let limits = configuration
        return chain.hooks.session {
            URLSession(
                showing: chain.shown(limits, identifier), carryingBy: chain.shown(limits, ""), of: chain.hooks
            ) { [shared] in shared.shownTasks }
        }
    }

    /// Lets this object go; the downloads go on, and closures are called as long as some are unfinished.
    public func invalidate() {
        let session = chain.hooks.takeSession()
        session?.finishTasksAndInvalidate()
        guard let told = delegate.sessionDidBecomeInvalidWithError else { return }
        let shown = session ?? self.session
        _ = chain.hooks.takeSession()
        shared.deliveries.add(.own) { told(shown, nil) }
    }

    // MARK: State

    /// `running` if any task runs or waits; else `suspended`, `failed` or `succeeded`, whichever some task is first.
    public var status: Status { shared.state.withLock(\.status.current) }
    /// The tasks in queue order; canceled and removed ones are not among them.
    public var tasks: [DownloadTask] { shared.tasks }
    public var succeededTasks: [DownloadTask] { shared.tasks.filter { $0.status == .succeeded } }

    /// The sum of all tasks; of one whose size is not known, what it has received counts as its size.
    public var progress: Progress { shared.progress }
    /// Bytes of the last second, of all tasks.
    public var speed: Int64 { TaskSum(tasks).speed }
    public var speedString: String { SpeedText.text(speed) }
    /// Seconds until all tasks are done at this speed; 0 if that is not known.
    public var timeRemaining: Int64 { TaskSum(tasks).timeRemaining }
    public var timeRemainingString: String { TimeText.text(timeRemaining) }

    /// The first task of a URL; nil if there is none or it is no URL.
    public func fetchTask(_ url: any URLConvertible) -> DownloadTask? {
        guard let url = try? url.address() else { return nil }
        return shared.task(of: url)
    }
}
