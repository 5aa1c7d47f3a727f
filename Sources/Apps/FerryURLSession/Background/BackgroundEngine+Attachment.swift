import FerryClient
import FerryCore
import Foundation
import FoundationNetworking
import Logging
import Synchronization

extension BackgroundEngine: AttachedSessionClient {
    /// Number of task identifiers reserved for the process that holds the session.
    private static let numberGap = 1000
    /// Polling interval of `waitUntilAttached()`, in seconds.
    private static let waitingStep = 0.05
    /// Maximum time in seconds that a launched process waits for another process to release the session in ferryd
    /// (docs/behaviour/url-session.md#3).
    private static let holderTime = 32.0

    // MARK: Waiting

    /// The error that keeps tasks from being created, or nil. While ferryd is away, its next instance takes the tasks.
    var obstacle: ServiceError? {
        guard let attached else {
            let shown = identifier.escapingControls
            return ServiceError(
                .invalidRequest,
                "“\(shown)” cannot identify a background session: it is too long or has a control character.")
        }
        if case .refused(let error) = attached.standing { return error }
        if attached.isListed || state.withLock(\.isHeld) { return nil }
        return attached.failure ?? ServiceError(.daemonUnreachable, "The daemon does not respond.")
    }

    var isRestoring: Bool {
        guard let attached else { return false }
        return !attached.isListed && attached.isUnderWay
    }

    func restored() async {
        if isRestoring { await attached?.settled() }
    }

    /// Blocks this thread until the session is attached or the wait times out (docs/behaviour/url-session.md#7).
    /// Returns early if another process or object holds the session: the tasks then wait for it, not the thread.
    func waitUntilAttached() {
        guard let attached, !attached.isListed else { return }
        // The process that had the session open may have exited since.
        if case .refused = attached.standing { attached.openAgain() }
        if state.withLock(\.isHeld) { return }
        var isOver = false
        let restored = DispatchSemaphore(value: 0)
        Task(name: "wait for a session", executorPreference: BlockingExecutor.shared) {
            await self.restored()
            restored.signal()
        }
        let end = ContinuousClock.now + .seconds(TransferTransport.patience)
        while !isOver, ContinuousClock.now < end {
            isOver = restored.wait(timeout: .now() + Self.waitingStep) == .success
            if !isOver, state.withLock(\.isHeld) { return }
        }
        guard !isOver, ApplicationIdentity.isBackground, state.withLock(\.hasReached) else { return }
        _ = Blocking.wait(seconds: Self.holderTime - TransferTransport.patience) { await self.restored() }
    }

    // MARK: AttachedSessionClient

    /// The transfers of tasks that have not completed.
    var shownTransfers: Set<TransferID> { transfers.ids }

    func willAttach(to service: any SessionService) async throws(ServiceError) {
        state.withLock { $0.isHeld = false }
        if state.withLock(\.hasReached) { return }
        _ = try await service.settings()
        state.withLock { $0.hasReached = true }
    }

    func isHeld(lastTask: Int) {
        state.withLock { state in
            state.isHeld = true
            // The holder may create tasks until it releases the session.
            state.last = max(state.last, lastTask + Self.numberGap)
        }
    }

    var lastTask: Int { state.withLock(\.last) }

    /// Returns once the session is attached or attaching has failed, after another process or object had it.
    func settled() async { await attached?.settled() }

    func lost() { state.withLock { $0.isHeld = false } }
    func isRefused(_ error: ServiceError) { state.withLock { $0.isHeld = false } }

    func isUnreachable(_ error: ServiceError) {
        state.withLock { $0.isHeld = false }
        logger.debug("the background session is not attached", metadata: ["error": "\(error)"])
    }

    /// Handles an event and ignores its place: repeating an event that the listing covers changes nothing in a task.
    func take(_ signal: SessionSignal, _ place: EventNumbers.Place) {
        if case .event(let event) = signal { transfers.receive(event) }
    }

    /// Synchronizes the session's tasks with the transfers that ferryd lists. Recreates the tasks of earlier processes
    /// and delivers pending results in the order in which the transfers finished.
    func take(_ listing: SessionListing) {
        guard let session else { return }
        let known = listing.transfers
        // New identifiers are assigned only after this, so that no new task gets the number of an earlier task.
        state.withLock { state in
            state.last = max(state.last, listing.attached.lastTask, known.compactMap(\.note?.task).max() ?? 0)
            state.isRestored = true
            state.isHeld = false
        }
        for id in listing.gone { transfers.transport(of: id)?.vanished() }
        // Skip the results that were delivered here and that the service has not removed yet.
        for transfer in known where transfers.transport(of: transfer.id) == nil && !transfers.isDelivered(transfer.id) {
            adopt(transfer, in: session)
        }
        let ended = known.filter(\.state.isEnded).sorted {
            ($0.times.end ?? $0.createdAt) < ($1.times.end ?? $1.createdAt)
        }
        for transfer in ended { transfers.transport(of: transfer.id)?.observe(transfer, isKept: true) }
        for transfer in known where !transfer.state.isEnded { transfers.transport(of: transfer.id)?.observe(transfer) }
        transfers.restored()
        // A launched process that does not use `run` counts as called (docs/behaviour/url-session.md#56).
        if isLaunchedForThis { Task(name: "events of a launch") { await EventGate.shared.pass() } }
    }

    // MARK: Tasks of earlier processes

    /// Recreates a task of an earlier process.
    private func adopt(_ transfer: Transfer, in session: URLSession) {
        guard let note = transfer.note, mayAdopt(note.task, in: session), !isOwnRecord(note.task),
            let url = URL(string: transfer.url)
        else { return }
        let record =
            TaskRecord(encoded: note.data) ?? TaskRecord(original: URLRequest(url: url), createdAt: transfer.createdAt)
        let request = record.original.request ?? URLRequest(url: url)
        let task: URLSessionTask =
            switch note.kind {
            case .download: URLSessionDownloadTask(note.task, of: session, work: .download(request))
            case .upload:
                URLSessionUploadTask(note.task, of: session, work: .upload(request, .file(URL(fileURLWithPath: "/"))))
            case .data: URLSessionDataTask(note.task, of: session, work: .data(request))
            }
        record.restore(task)
        show(transfer, in: task)
        let relay = TaskRelay(task, of: session)
        let transport = TransferTransport(
            restored: transfer, kind: note.kind, offset: record.offset, relay: relay, transfers: transfers)
        task.storage.withLock { $0.transport = transport }
        session.registry.add(task)
        if transfer.attempts > 0 { transport.hasBegun() } else if !transfer.state.isEnded { transport.watchBegin() }
        if note.kind == .data {
            // The process that ran the data task has exited.
            let error = ServiceError(.daemonUnreachable, "The process that ran the task has ended.")
            transport.lose(URLErrorMapping.error(error, url: url))
        }
    }

    /// Whether a task may be recreated under this number: it is free, or belongs to a task that failed because the
    /// daemon could not be reached.
    private func mayAdopt(_ number: Int, in session: URLSession) -> Bool {
        guard let other = session.registry[number] else { return true }
        return other.storage.withLock { $0.transport is FailedTransport }
    }

    /// Copies the transfer's state to a task, before the task is added to the session's registry.
    private func show(_ transfer: Transfer, in task: URLSessionTask) {
        let isRunning = transfer.state == .running || transfer.state == .waiting || transfer.state.isEnded
        task.storage.withLock { storage in
            let hasEnded = transfer.state == .failed || transfer.state == .canceled
            storage.ledger = TaskLedger(
                suspends: isRunning ? 0 : 1, hasStarted: isRunning || transfer.attempts > 0, hasEndedBefore: hasEnded)
            storage.counts.sent = transfer.sending.sent
            storage.counts.expectedToSend = transfer.sending.length ?? 0
            if task is URLSessionDownloadTask { storage.counts.received = transfer.bytesReceived }
            storage.counts.expectedToReceive = transfer.bytesExpected ?? -1
            storage.response = transfer.response.flatMap(ResponseMapping.response)
            if hasEnded {
                let error = transfer.error ?? ServiceError(.canceled, "The task was canceled.")
                storage.error = URLErrorMapping.error(error, url: URL(string: transfer.currentURL))
            }
            if transfer.currentURL != transfer.url, let url = URL(string: transfer.currentURL) {
                storage.requests.current?.url = url
            }
        }
    }

    func isOwnRecord(_ task: Int) -> Bool { state.withLock { $0.ownRecords[task] != nil } }
}
