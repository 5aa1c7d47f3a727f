import Foundation
package import FoundationNetworking
import Synchronization

/// A snapshot of a download that is performed outside a session, to be shown as a session's task.
package struct ShownTask: Sendable {
    package enum Action: Sendable { case resume, suspend, cancel }

    /// The download's name, unique during its lifetime.
    let name: String
    let request: URLRequest
    let response: HTTPURLResponse?
    let isSuspended: Bool
    let received: Int64
    /// -1 while unknown.
    let expected: Int64
    let perform: @Sendable (Action) -> Void
    /// Set once the download has ended.
    package var ending: Ending?

    /// The outcome of a download.
    package struct Ending: Sendable {
        let error: (any Error)?

        package init(error: (any Error)?) { self.error = error }
    }

    package init(
        _ name: String, request: URLRequest, response: HTTPURLResponse?, isSuspended: Bool, received: Int64,
        expected: Int64, perform: @escaping @Sendable (Action) -> Void
    ) {
        self.name = name
        self.request = request
        self.response = response
        self.isSuspended = isSuspended
        self.received = received
        self.expected = expected
        self.perform = perform
    }
}

extension URLSession {
    /// Creates a session that shows another session's configuration and downloads. The app's own tasks run in this
    /// process.
    ///
    /// - Parameters:
    ///   - configuration: The configuration to show.
    ///   - own: The configuration of the app's own tasks.
    ///   - owner: The value of ``owner``.
    ///   - shown: Returns the current downloads. Called each time the app asks for the session's tasks.
    package convenience init(
        showing configuration: URLSessionConfiguration, carryingBy own: URLSessionConfiguration,
        of owner: (any AnyObject & Sendable)? = nil, tasks shown: @escaping @Sendable () -> [ShownTask]
    ) {
        let engine = ShownEngine(own, owner, shown)
        self.init(configuration, nil, nil, engine: engine, isShown: true)
        engine.open(self)
    }

    /// The object that owns the downloads shown by this session; nil for sessions with tasks of their own.
    package var owner: (any AnyObject & Sendable)? { (acting.engine as? ShownEngine)?.owner }

    /// Returns the task that shows a download's current state. It is the same object while its caller retains it.
    ///
    /// - Parameter known: The task that showed the download before.
    package func task(showing download: ShownTask, known: URLSessionDownloadTask?) -> URLSessionDownloadTask? {
        (engine as? ShownEngine)?.task(showing: download, in: acting, known: known)
    }
}

/// Keeps a task for each shown download, and passes all other tasks to the engine of this process.
private final class ShownEngine: SessionEngine {
    private struct State {
        weak var session: URLSession?
        /// Weak, since the owner retains the session.
        weak var owner: (any AnyObject & Sendable)?
        var tasks: [String: URLSessionDownloadTask] = [:]
    }

    private let own: ForegroundEngine
    private let shown: @Sendable () -> [ShownTask]
    private let state = Mutex(State())

    init(
        _ configuration: URLSessionConfiguration, _ owner: (any AnyObject & Sendable)?,
        _ shown: @escaping @Sendable () -> [ShownTask]
    ) {
        own = ForegroundEngine(configuration: configuration)
        self.shown = shown
        state.withLock { $0.owner = owner }
    }

    var owner: (any AnyObject & Sendable)? { state.withLock(\.owner) }

    func open(_ session: URLSession) { state.withLock { $0.session = session } }

    func nextTaskIdentifier() -> Int { own.nextTaskIdentifier() }
    var carriesUnresumedTasks: Bool { false }
    /// Always true: an ending session waits for `restored()`, which then removes the shown tasks.
    var isRestoring: Bool { true }

    func restored() async {
        guard let session = state.withLock(\.session) else { return }
        let shown = session.registry.isInvalidated ? [] : shown()
        let names = Set(shown.map(\.name))
        let gone = state.withLock { state in
            let gone = state.tasks.filter { !names.contains($0.key) }
            for name in gone.keys { state.tasks[name] = nil }
            return gone.values
        }
        for task in gone {
            _ = task.storage.withLock { $0.ledger.completed() }
            _ = session.registry.remove(task)
        }
        for download in shown { show(download, in: session) }
    }

    func task(
        showing download: ShownTask, in session: URLSession, known: URLSessionDownloadTask?
    ) -> URLSessionDownloadTask? {
        guard let ending = download.ending else {
            if let known { state.withLock { $0.tasks[download.name] = known } }
            return show(download, in: session)
        }
        let task =
            known
            ?? URLSessionDownloadTask(
                own.nextTaskIdentifier(), of: session, work: .download(download.request))
        update(task, download)
        task.storage.withLock { storage in
            if storage.ledger.completed() { storage.error = ending.error }
        }
        _ = session.registry.remove(task)
        state.withLock { $0.tasks[download.name] = nil }
        return task
    }

    @discardableResult
    private func show(_ download: ShownTask, in session: URLSession) -> URLSessionDownloadTask {
        let (task, isNew) = state.withLock { state -> (URLSessionDownloadTask, Bool) in
            if let task = state.tasks[download.name] { return (task, false) }
            let task = URLSessionDownloadTask(
                own.nextTaskIdentifier(), of: session, work: .download(download.request))
            state.tasks[download.name] = task
            return (task, true)
        }
        update(task, download)
        if isNew { session.registry.add(task) }
        return task
    }

    private func update(_ task: URLSessionDownloadTask, _ download: ShownTask) {
        task.storage.withLock { storage in
            storage.transport = ShownTransport(perform: download.perform)
            // A task that was canceled in this session stays canceled until its download is removed.
            if !storage.ledger.isCancelled {
                storage.ledger = TaskLedger(suspends: download.isSuspended ? 1 : 0, hasStarted: true)
            }
            storage.response = download.response
            storage.counts.received = download.received
            storage.counts.expectedToReceive = download.expected
        }
        task.moveProgress()
    }

    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport {
        own.transport(for: task, work: work, relay: relay)
    }

    func ended(_ task: URLSessionTask) { own.ended(task) }
    func invalidated() async { await own.invalidated() }
}

/// Forwards the calls of a shown task to the owner of the download.
private final class ShownTransport: TaskTransport {
    private let perform: @Sendable (ShownTask.Action) -> Void

    init(perform: @escaping @Sendable (ShownTask.Action) -> Void) { self.perform = perform }

    func resume() { perform(.resume) }
    func suspend() { perform(.suspend) }
    func cancel() { perform(.cancel) }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        perform(.cancel)
    }

    func update(_ change: TaskChange) {}
}
