// Ferry: Ferry
// The tasks of one identifier in this process.

import FerryClient
import FerryCore
import FerryURLSession
import Foundation
import Glibc
import Synchronization

/// The tasks of one identifier in this process; all managers of that identifier are handles to it.
///
/// The daemon's event stream is the one source of what tasks are: calls ask, and wait until the stream has told what came
/// of it. So callbacks come in one order, whoever changed a task.
///
/// ```
///   call ── commands, in call order ──→ service ──→ daemon
///   state, callbacks ←── events ←──────────────────┘
/// ```
/// Locks: the session's, then a task's, then those of the deliveries; no closure of the app is called with one held.
final class ManagedSession: Sendable {
    struct State {
        /// In queue order.
        var tasks: [DownloadTask] = []
        var byTransfer: [TransferID: DownloadTask] = [:]
        var byID: [DownloadTask.ID: DownloadTask] = [:]
        /// Those that a URL alone names.
        var byURL: [String: DownloadTask] = [:]
        /// URLs that more than one of them has had.
        var sharedURLs: Set<String> = []
        var counts = StatusCounts()
        var status = Status.waiting
        /// What a call that ends all tasks makes of the manager's status: while it is carried out, and after it.
        var pendingDeparture: Status?
        var totalDeparture: Status?
        var lastDeparture: Status?
        var lastProgress: ContinuousClock.Instant?
        /// Whether bytes have come that no progress closure of the managers was called for.
        var owesProgress = false
        /// Where the closures of the latest ends are in each line; those of the managers follow them.
        var lastEnds = [DeliveryMark?](repeating: nil, count: DeliveryLine.allCases.count)
        var lastManagerProgress: DeliveryMark?

        var configuration: SessionConfiguration
        var logger: LoggerBox
        var managers: [WeakManager] = []
        /// Managers with closures, which live until all tasks have ended.
        var kept: [SessionManager] = []

        /// Whether there was a list of the daemon.
        var isListed = false
        /// Whether tasks have ended while nobody was there, which the manager may not have been told of.
        var hasMissedEnds = false
        /// How many submissions have not been answered, and what came meanwhile of transfers that nobody knows yet.
        var submissions = 0
        var early: [(signal: SessionSignal, isListed: Bool)] = []

        var completion = BackgroundCompletion()
        var restored: [DownloadRequest] = []
        /// Made when somebody asks for it first.
        var progress: Progress?
    }

    let place: SessionPlace
    let attached: AttachedSession
    let cache: Cache
    let deliveries: Deliveries
    let commands = CommandQueue()
    let state: Mutex<State>

    init(_ place: SessionPlace, manager: ManagerParts) {
        self.place = place
        attached = AttachedSession(place.attachmentPlace(patience: Self.patience))
        cache = manager.cache
        deliveries = Deliveries(operationQueue: manager.operationQueue)
        state = Mutex(State(configuration: manager.configuration, logger: manager.logger))
        cache.link { [weak self] url in self?.fileName(of: url) }
        attached.open(for: self)
        if place.isDaemon { BackgroundSessions.shared.add(self, place.identifier) }
    }

    /// One of the managers that are there.
    var manager: SessionManager? { state.withLock { $0.manager } }

    var tasks: [DownloadTask] { state.withLock(\.tasks) }

    private func fileName(of url: String) -> String? { state.withLock { $0.task(named: url) }?.fileName }

    // MARK: Managers

    /// Makes a manager a handle of this session: what it was given applies from here on.
    func add(_ manager: SessionManager, _ parts: ManagerParts) {
        deliveries.setOperationQueue(parts.operationQueue)
        let isNew = state.withLock { state in
            state.managers.removeAll { $0.manager == nil }
            state.managers.append(WeakManager(manager: manager))
            state.logger = parts.logger
            defer { state.configuration = parts.configuration }
            return state.configuration != parts.configuration
        }
        if isNew { sendSettings() }
    }

    func setConfiguration(_ configuration: SessionConfiguration) {
        let isNew = state.withLock { state in
            defer { state.configuration = configuration }
            return state.configuration != configuration
        }
        if isNew { sendSettings() }
    }

    /// Lets a manager with closures live until the tasks have ended.
    func keep(_ manager: SessionManager) {
        state.withLock { state in
            guard state.counts.unfinished > 0, !state.kept.contains(where: { $0 === manager }) else { return }
            state.kept.append(manager)
        }
    }
}

extension ManagedSession.State {
    var manager: SessionManager? { managers.lazy.reversed().compactMap(\.manager).first }
}

/// A manager that may be gone.
struct WeakManager: Sendable {
    weak let manager: SessionManager?
}
