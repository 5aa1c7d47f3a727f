@_exported public import BackgroundURLSession
public import Dispatch
import FerryURLSession
public import Foundation
import Synchronization

/// A list of downloads that the daemon carries out, independent of the app's life.
///
/// ```swift
/// let manager = SessionManager("movies", configuration: SessionConfiguration())
/// manager.download("https://example.org/film.mp4")?
///     .progress { print($0.progress.fractionCompleted) }
///     .success { print($0.filePath) }
/// ```
/// A manager is a handle: several may have one identifier and share the same tasks, and releasing a manager does not
/// affect its downloads. All members may be used on any queue or actor, also in the manager's own closures.
public final class SessionManager: Sendable {
    /// Posted when bytes have arrived, at most ten times a second, on the operation queue.
    public static let runningNotification = Notification.Name("Ferry.notification.name.sessionManager.running")
    /// Posted for each change to suspended, failed, canceled, removed or succeeded, on the operation queue.
    public static let didCompleteNotification = Notification.Name("Ferry.notification.name.sessionManager.didComplete")

    /// The identifier as given, with which the app's delegate is called. Empty if the downloads run in this process.
    public let identifier: String
    /// The folders of the files.
    public let cache: Cache
    /// The queue of all closures that are not for the main queue.
    public let operationQueue: DispatchQueue
    /// The delegate for the session's own events.
    public let delegate: SessionDelegate
    let shared: ManagedSession
    let hooks: ChainHooks
    let slots = Mutex(Slots<SessionManager>())
    private let isIndicatorControlled = Mutex(true)

    /// Creates a manager for the downloads of an identifier, with the tasks of earlier managers and processes.
    ///
    /// Waits up to five seconds for the daemon, and starts it if it is not running. The configuration applies to all
    /// managers with the identifier.
    /// - Parameters:
    ///   - identifier: Identifies the list of downloads.
    ///   - configuration: The limits of the downloads.
    ///   - logger: Logs changes, refused calls and errors. Defaults to printing them.
    ///   - cache: The folders of the files. Defaults to a folder of the app.
    ///   - operationQueue: The queue of closures that are not for the main queue.
    public convenience init(
        _ identifier: String, configuration: SessionConfiguration, logger: (any Logable)? = nil, cache: Cache? = nil,
        operationQueue: DispatchQueue = DispatchQueue(label: "Ferry.SessionManager.operationQueue")
    ) {
        let parts = ManagerParts(
            configuration: configuration, logger: LoggerBox(logger: logger ?? Logger(identifier: identifier)),
            cache: cache ?? Cache(identifier), operationQueue: operationQueue)
        self.init(
            identifier, shared: ManagedSessions.shared.session(identifier, parts), parts,
            hooks: ChainHooks(), delegate: SessionDelegate())
    }

    init(
        _ identifier: String, shared: ManagedSession, _ parts: ManagerParts, hooks: ChainHooks,
        delegate: SessionDelegate
    ) {
        self.identifier = identifier
        self.shared = shared
        self.hooks = hooks
        self.delegate = delegate
        cache = parts.cache
        operationQueue = parts.operationQueue
        shared.add(self, parts)
        delegate.attach(self)
        hooks.attach(self)
        _ = Blocking.wait(seconds: ManagedSession.patience) { await shared.settled() }
    }

    // MARK: Settings

    /// The limits of the downloads. Changes apply immediately and restart nothing.
    public var configuration: SessionConfiguration {
        get { shared.state.withLock(\.configuration) }
        set { shared.setConfiguration(newValue) }
    }

    /// Logs changes, refused calls and errors. A new logger gets the next entry.
    public var logger: any Logable {
        get { shared.state.withLock(\.logger).logger }
        set {
            let box = LoggerBox(logger: newValue)
            shared.state.withLock { $0.logger = box }
        }
    }

    /// Whether to control an indicator of network activity. No effect on Linux.
    public var isControlNetworkActivityIndicator: Bool {
        get { isIndicatorControlled.withLock { $0 } }
        set { isIndicatorControlled.withLock { $0 = newValue } }
    }

    /// The completion handler that the app's delegate was given for the identifier's events. Called once, on the main
    /// queue, when all were delivered.
    public var completionHandler: (() -> Void)? {
        get { shared.events.completionHandler }
        set { shared.events.completionHandler = newValue }
    }

    /// The same as ``completionHandler``.
    public var backgroundCompletionHandler: (() -> Void)? {
        get { shared.events.completionHandler }
        set { shared.events.completionHandler = newValue }
    }

    /// A session with the manager's configuration, identifier and unfinished downloads. The app's own tasks in it run
    /// in this process.
    public var session: URLSession {
        let limits = configuration
        let base = shared.state.withLock(\.base)
        return hooks.session {
            URLSession(
                showing: limits.sessionConfiguration(base, identifier: identifier.isEmpty ? nil : identifier),
                carryingBy: limits.sessionConfiguration(base, identifier: nil), of: hooks
            ) { [shared] in shared.shownTasks }
        }
    }

    /// Invalidates ``session``. The downloads continue, and closures are called as long as some are unfinished.
    public func invalidate() {
        let session = hooks.takeSession()
        session?.finishTasksAndInvalidate()
        guard let reported = delegate.sessionDidBecomeInvalidWithError else { return }
        let shown = session ?? self.session
        _ = hooks.takeSession()
        shared.deliveries.add(.own) { reported(shown, nil) }
    }

    // MARK: State

    /// `running` if any task is running or waiting. Otherwise the first of `suspended`, `failed` and `succeeded` that
    /// any task has.
    public var status: Status { shared.state.withLock(\.status.current) }
    /// The tasks in queue order, without canceled and removed ones.
    public var tasks: [DownloadTask] { shared.tasks }
    public var succeededTasks: [DownloadTask] { shared.tasks.filter { $0.status == .succeeded } }

    /// The total progress of all tasks. A task of unknown size counts as the mean of the known sizes; without any known
    /// size the total is -1. The fraction goes back only when a download restarts, or tasks are added or removed.
    public var progress: Progress { shared.progress }
    /// Bytes received in the last second by all tasks.
    public var speed: Int64 { TaskSum(tasks).speed }
    public var speedString: String { SpeedText.text(speed) }
    /// Seconds until all tasks are finished at the current speed. 0 if unknown.
    public var timeRemaining: Int64 { TaskSum(tasks).timeRemaining }
    public var timeRemainingString: String { TimeText.text(timeRemaining) }

    /// Returns the first task of a URL, or nil.
    public func fetchTask(_ url: any URLConvertible) -> DownloadTask? {
        guard let url = try? url.address() else { return nil }
        return shared.task(of: url)
    }
}
