import Foundation
import Synchronization

extension ManagedSession {
    // MARK: Tasks

    /// Notifies of a task's new status.
    func notify(_ task: DownloadTask, _ status: Status, in state: inout State) {
        log { .downloadTask(status.rawValue, task: task) }
        guard status.isEnd else { return }
        if let error = task.state.withLock(\.error) {
            log { .error("A download has failed: \(LogText.url(task.url))", error: error) }
        }
        post(DownloadTask.didCompleteNotification, task)
        finish(task, status)
        let (slot, progressMark, isDecided) = task.state.withLock { task in
            (task.closures.slots.end(status), task.closures.progressMark, task.validation != .unknown)
        }
        var mark = progressMark
        if let slot {
            mark = TaskEnds.deliver(slot, of: task, status: status, after: slot.line.after(progressMark))
        }
        if let mark { state.notifications.notedEnd(mark) }
        if status == .succeeded || status == .failed, isDecided {
            notifyValidation(task, after: mark)
        } else if status == .succeeded {
            task.compareUndecided(in: self, after: mark)
        }
        if status != .suspended { task.state.withLock(\.request)?.ended(after: mark) }
    }

    /// Notifies of an end that happened while no process was attached.
    func notifyMissed(_ task: DownloadTask, _ status: Status, in state: inout State) {
        let isNews = task.state.withLock { task in
            guard task.isUntold, task.stored == status else { return false }
            task.isUntold = false
            return true
        }
        guard isNews else { return }
        state.notifications.missedEnd()
        log { .downloadTask(status.rawValue, task: task) }
        // Not before the main queue's next iteration: an app that creates a manager there can register observers first.
        let turn = deliveries.add(.main) {}
        post(DownloadTask.didCompleteNotification, task, after: turn)
    }

    /// Notifies of the manager's status after missed ends, once all of them are known.
    func notifyMissedEnd(in state: inout State) {
        let status = state.status.current
        guard state.notifications.takeMissedEnds(), status.isEnd else { return }
        let turn = deliveries.add(.main) {}
        deliveries.add(.own, after: turn) {
            guard let manager = self.manager else { return }
            self.log { .sessionManager(status.rawValue, manager: manager) }
            self.post(SessionManager.didCompleteNotification, manager)
        }
    }

    /// Calls the closures that wait for a validation, each once.
    func notifyValidation(_ task: DownloadTask, after mark: DeliveryMark?) {
        for slot in task.state.withLock({ $0.closures.takeValidations() }) {
            deliveries.add(slot.line, after: slot.line.after(mark)) { slot.call(task) }
        }
    }

    /// Calls the progress closures of a task and its managers if bytes have arrived.
    func notifyProgress(
        _ task: DownloadTask, isLast: Bool, at now: ContinuousClock.Instant, in state: inout State
    ) {
        let (hasNews, slot) = task.state.withLock { task in
            let hasNews = task.closures.reportsProgress(
                received: task.bytes.received, total: task.total, isLast: isLast, at: now)
            return (hasNews, hasNews ? task.closures.queueProgress() : nil)
        }
        guard hasNews else {
            // Shortly before, the task's closures may have been called without the managers'.
            if isLast, state.notifications.owesProgress { notifyManagersProgress(isLast: true, at: now, in: &state) }
            return
        }
        observe(task, .progress(task.state.withLock { $0.downloadProgress(now: now) }))
        post(DownloadTask.runningNotification, task)
        if let request = task.state.withLock(\.request) { deliveries.add(.own) { request.wrote() } }
        if let slot {
            let mark = deliveries.add(slot.line) {
                let current = task.state.withLock { $0.closures.takeProgress() }
                current?.call(task)
            }
            task.state.withLock { $0.closures.progressMark = mark }
        }
        notifyManagersProgress(isLast: isLast, at: now, in: &state)
    }

    // MARK: Observers

    /// Delivers an event to the observers of a task.
    func observe(_ task: DownloadTask, _ event: DownloadEvent) {
        let watcher = task.state.withLock { state in
            state.readers.notify(event)
            return state.readers.watcher
        }
        switch event {
        case .state, .progress: if let watcher { deliveries.add(.main) { watcher(task) } }
        case .response, .restarted, .succeeded, .failed, .canceled, .removed: break
        }
    }

    /// Finishes the waits and observations of a task.
    func finish(_ task: DownloadTask, _ status: Status) {
        let waiters = task.state.withLock { state in
            guard let result = state.result, let last = state.lastEvent else {
                return [(TaskReaders.Waiter, Result<URL, FerryError>)]()
            }
            return state.readers.end(with: last).map { ($0, result) }
        }
        for (waiter, result) in waiters { waiter.resume(returning: result) }
    }

    // MARK: Managers

    private func notifyManagersProgress(isLast: Bool, at now: ContinuousClock.Instant, in state: inout State) {
        guard state.notifications.bytesCame(isLast: isLast, at: now) else { return }
        for manager in state.managers.all {
            guard let slot = manager.slots.withLock(\.progress) else { continue }
            let mark = deliveries.add(slot.line) { manager.slots.withLock(\.progress)?.call(manager) }
            state.notifications.notedProgress(mark)
        }
        if let manager = state.managers.newest { post(SessionManager.runningNotification, manager) }
    }

    /// Notifies of the managers' new status.
    func notifyManagers(_ status: Status, in state: inout State) {
        guard let manager = state.managers.newest else { return }
        log { .sessionManager(status.rawValue, manager: manager) }
        guard status.isEnd else { return state.managers.keepAllWithClosures() }
        post(SessionManager.didCompleteNotification, manager)
        let before = state.notifications
        for manager in state.managers.all {
            guard let slot = manager.slots.withLock({ $0.end(status) }) else { continue }
            let mark = deliver(slot, of: manager, status: status, after: before.afterAll(in: slot.line))
            state.notifications.notedEnd(mark)
        }
        state.managers.release()
    }

    /// Enqueues the call of a manager's closure. Whether it is called is decided when it is dequeued.
    @discardableResult
    func deliver(
        _ slot: Slot<SessionManager>, of manager: SessionManager, status: Status, after: DeliveryMark? = nil
    ) -> DeliveryMark {
        deliveries.add(slot.line, after: after) {
            if manager.slots.withLock({ $0.end(status)?.number }) == slot.number { slot.call(manager) }
        }
    }

    // MARK: Notifications and the log

    private func post(_ name: Notification.Name, _ task: DownloadTask, after mark: DeliveryMark? = nil) {
        deliveries.add(.own, after: mark) {
            NotificationCenter.default.post(name: name, object: nil, userInfo: [Notification.taskKey: task])
        }
    }

    private func post(_ name: Notification.Name, _ manager: SessionManager) {
        deliveries.add(.own) {
            NotificationCenter.default.post(name: name, object: nil, userInfo: [Notification.managerKey: manager])
        }
    }

    /// Passes an entry to the logger, on the operation queue.
    func log(_ entry: @escaping @Sendable () -> LogType) {
        deliveries.add(.own) {
            let box = self.state.withLock(\.logger)
            if box.logger.option != .none { box.logger.log(entry().withSentence) }
        }
    }
}
