import BackgroundURLSession
import FerryClient
import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// The tasks of one identifier in this process. All managers of that identifier are handles to it.
///
/// The daemon's event stream is the only source of the tasks' states: a call makes a request and waits until the stream
/// has delivered its effect. So callbacks come in one order, whether this process, another one or a user changed a
/// task.
///
/// ```
///   call ── commands, in call order ──→ service ──→ daemon
///   state, callbacks ←── list, events ←── attached ←──┘
/// ```
/// Lock order: the session's, then a task's, then that of the deliveries. No closure of the app is called with a lock
/// held.
final class ManagedSession: Sendable {
    struct State {
        var list = TaskList()
        var status = ManagerStatus()
        var managers = ManagerHandles()
        var notifications = ManagerNotifications()
        var early = EarlySignals()
        /// Chain downloads of an earlier process that no call has picked up yet.
        var restored: [DownloadRequest] = []
        var configuration: SessionConfiguration
        /// The configuration that the latest manager was created from, if any.
        var base: URLSessionConfiguration?
        var logger: LoggerBox
    }

    /// Seconds for which a call waits for the daemon (docs/behaviour/session-manager.md#C7).
    static let patience = 5.0
    /// Seconds for which the handler of a start waits for the task to run.
    static let startPatience = 1.0

    let place: SessionPlace
    let attached: AttachedSession
    let cache: Cache
    let deliveries: Deliveries
    let commands = CommandQueue()
    let events = BackgroundEvents()
    let state: Mutex<State>

    init(_ place: SessionPlace, manager: ManagerParts) {
        self.place = place
        attached = AttachedSession(place.attachmentPlace(patience: Self.patience))
        cache = manager.cache
        deliveries = Deliveries(operationQueue: manager.operationQueue)
        state = Mutex(State(configuration: manager.configuration, base: manager.base, logger: manager.logger))
        cache.link { [weak self] url in self?.state.withLock { $0.list.task(named: url) }?.fileName }
        events.open(for: self)
        attached.open(for: self)
    }

    // MARK: Tasks

    /// The tasks in queue order.
    var tasks: [DownloadTask] { state.withLock(\.list.all) }

    /// Whether the session has a task.
    func has(_ task: DownloadTask) -> Bool { state.withLock { $0.list.has(task) } }

    func task(_ id: DownloadTask.ID) -> DownloadTask? { state.withLock { $0.list.task(id) } }

    func task(of url: URL) -> DownloadTask? {
        let url = url.absoluteString
        return state.withLock { state in
            state.list.task(named: url) ?? state.list.all.first { $0.url.absoluteString == url }
        }
    }

    /// The total progress. Always the same object.
    var progress: Progress {
        let sum = TaskSum(tasks)
        return state.withLock { $0.list.progress(sum) }
    }

    // MARK: Managers

    /// One of the existing managers.
    var manager: SessionManager? { state.withLock(\.managers.newest) }

    /// Adds a manager as a handle of this session. Its configuration applies from now on.
    func add(_ manager: SessionManager, _ parts: ManagerParts) {
        deliveries.setOperationQueue(parts.operationQueue)
        state.withLock { state in
            state.managers.add(manager)
            state.logger = parts.logger
        }
        changeConfiguration { ($0.configuration, $0.base) = (parts.configuration, parts.base) }
    }

    /// Runs `body` with the manager's status while no change of the session is being processed.
    func betweenChanges<Value: Sendable>(_ body: (Status) -> Value) -> Value {
        state.withLock { body($0.status.current) }
    }

    func setConfiguration(_ configuration: SessionConfiguration) {
        changeConfiguration { $0.configuration = configuration }
    }

    private func changeConfiguration(_ change: (inout State) -> Void) {
        let old = settings
        state.withLock { change(&$0) }
        if settings != old { sendSettings() }
    }

    /// The mapping of downloads to transfers, by the current configuration.
    var mapping: ManagerMapping {
        let (limits, base) = state.withLock { ($0.configuration, $0.base) }
        return ManagerMapping(limits, base: base, place: place)
    }

    /// The session's limits for the daemon.
    var settings: SessionSettings { mapping.settings }

    /// Keeps a manager with closures alive until the tasks have finished.
    func keep(_ manager: SessionManager) {
        state.withLock { state in
            if state.list.counts.unfinished > 0 { state.managers.keep(manager) }
        }
    }

    // MARK: Restored downloads

    /// Removes and returns the oldest download with a method and URL that no call has picked up.
    func takeRestored(_ url: URL, _ method: HTTPMethod) -> DownloadRequest? {
        state.withLock { state in
            let index = state.restored.firstIndex { request in
                request.downloadTask.url.absoluteString == url.absoluteString
                    && request.downloadTask.state.withLock(\.asked.method) == method
            }
            return index.map { state.restored.remove(at: $0) }
        }
    }
}

/// The unfinished downloads as tasks of a session.
extension ManagedSession {
    var shownTasks: [ShownTask] {
        tasks.compactMap { task in
            let stored = task.state.withLock(\.stored)
            return stored.isUnfinished || stored == .suspended ? shown(task) : nil
        }
    }

    /// Returns a download as a task of a session.
    func shown(_ task: DownloadTask) -> ShownTask {
        let (stored, method, headers, received) = task.state.withLock {
            ($0.stored, $0.asked.method, $0.asked.headers, $0.bytes.received)
        }
        var request = URLRequest(url: task.url)
        request.httpMethod = method.rawValue
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return ShownTask(
            task.id.rawValue, request: request, response: task.response, isSuspended: stored == .suspended,
            received: received, expected: task.progress.totalUnitCount
        ) { [weak self] action in
            self?.perform(Control(action), on: [task]) { _ in }
        }
    }
}

extension Control {
    fileprivate init(_ action: ShownTask.Action) {
        switch action {
        case .resume: self = .start
        case .suspend: self = .suspend
        case .cancel: self = .cancel
        }
    }
}
