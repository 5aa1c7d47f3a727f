import FerryCore
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession {
    // MARK: Events

    /// Processes an event.
    ///
    /// - Parameter isListed: Whether the list already included the event's effect.
    func take(_ signal: SessionSignal, isListed: Bool, in state: inout State) {
        switch signal {
        case .batch(let batch): take(batch, isListed: isListed, in: &state)
        case .event(let event): take(event, isListed: isListed, in: &state)
        case .attached, .held, .idle: return
        }
        update(&state)
    }

    private func take(_ batch: EventBatch, isListed: Bool, in state: inout State) {
        var known: [DownloadTask] = []
        var unknown: [TransferID] = []
        for id in batch.ids {
            if let task = state.list.task(of: id) { known.append(task) } else { unknown.append(id) }
        }
        if !unknown.isEmpty {
            let early = EventBatch(kind: batch.kind, through: batch.through, ids: unknown)
            state.early.keep(.batch(early), isListed: isListed)
        }
        if isListed {
            for task in known { take(missed: batch.kind, of: task, in: &state) }
            return
        }
        switch batch.kind {
        case .suspended:
            let paused = known.filter { $0.state.withLock(\.stored) == .running }
            for task in known { move(task, to: .suspended, in: &state) }
            if !paused.isEmpty { commands.add { await self.learnBytes(of: paused) } }
        case .resumed: for task in known { move(task, to: .waiting, in: &state) { $0.waitingReason = .slot } }
        case .canceled:
            depart(known, as: .canceled, in: &state)
            forget(batch.ids)
        case .removed: depart(known, in: &state)
        case .submitted, .succeeded, .failed, .running, .waiting, .progress, .changed, .unknown: break
        }
    }

    /// Asks the daemon for the durable bytes of paused tasks, since their last progress may be out of date.
    func learnBytes(of tasks: [DownloadTask]) async {
        for task in tasks {
            let id = task.state.withLock { $0.bytes.isUncertain && $0.stored == .suspended ? $0.transfer : nil }
            guard let id, let service = try? await place.service(), let transfer = try? await service.transfer(id)
            else { continue }
            task.state.withLock { task in
                if task.stored == .suspended { task.take(transfer, now: .now) }
            }
        }
    }

    /// Processes a pause or resumption that the list may not show yet: a stopping run is listed as running.
    private func take(missed kind: TransferEvent.Kind, of task: DownloadTask, in state: inout State) {
        let status = task.state.withLock(\.stored)
        switch kind {
        case .suspended where status == .running: move(task, to: .suspended, in: &state)
        case .suspended: notifyMissed(task, .suspended, in: &state)
        case .resumed where status == .suspended: move(task, to: .waiting, in: &state) { $0.waitingReason = .slot }
        default: break
        }
    }

    private func take(_ event: TransferEvent, isListed: Bool, in state: inout State) {
        guard let task = state.list.task(of: event.id) else {
            return state.early.keep(.event(event), isListed: isListed)
        }
        if isListed {
            if let status = event.transfer.flatMap({ Status($0.state) }) { notifyMissed(task, status, in: &state) }
            return
        }
        guard let transfer = event.transfer else { return }
        // A progress event from before the task stopped is obsolete.
        if event.number == nil, !task.state.withLock({ $0.stored.isUnfinished }) { return }
        take(transfer, of: task, in: &state)
    }

    /// Processes the daemon's description of a task.
    func take(
        _ transfer: Transfer, of task: DownloadTask, at now: ContinuousClock.Instant = .now, in state: inout State
    ) {
        guard let status = Status(transfer.state) else { return }
        let (restarted, response) = task.state.withLock { task in
            let before = task.answer.response
            let isRestarted = task.take(transfer, now: now)
            let restarted = isRestarted ? transfer.notes.last ?? "The file has changed." : nil
            return (restarted, task.answer.response == before ? nil : task.answer.response)
        }
        if let restarted { observe(task, .restarted(reason: restarted)) }
        if let response {
            observe(task, .response(status: response.status, headers: ResponseMapping.fields(response.fields)))
        }
        if status == .running || status.isEnd { notifyProgress(task, isLast: status.isEnd, at: now, in: &state) }
        move(task, to: status, in: &state, takesTransfer: true) { task in
            switch status {
            case .waiting: task.waitingReason = WaitingReason(transfer, now: Date()) ?? .slot
            case .failed:
                task.error = task.failure(transfer.error)
                task.decideValidation(transfer)
            case .succeeded: task.decideValidation(transfer)
            default: break
            }
        }
    }

    // MARK: Changes

    /// Moves a task to a new status and calls its closures if the status has changed.
    func move(
        _ task: DownloadTask, to status: Status, in state: inout State, takesTransfer: Bool = false,
        _ change: (inout TaskState) -> Void = { _ in }
    ) {
        let (before, reasonBefore, reason) = task.state.withLock { task in
            let (before, reasonBefore) = (task.stored, task.waitingReason)
            task.move(to: status, takesTransfer: takesTransfer, change)
            return (before, reasonBefore, task.waitingReason)
        }
        if status != .waiting || reason != .slot { callStarts(of: task) }
        if before != status || reasonBefore != reason { observe(task, .state(status, reason)) }
        guard before != status else { return }
        task.state.withLock { $0.isUntold = false }
        state.list.move(from: before, to: status)
        if status.isUnfinished { state.status.taskCame() }
        notify(task, status, in: &state)
    }

    /// Removes tasks whose records are gone.
    func depart(_ tasks: [DownloadTask], as departure: Status? = nil, in state: inout State) {
        guard !tasks.isEmpty else { return }
        var gone: [(task: DownloadTask, status: Status)] = []
        var ended: [(task: DownloadTask, status: Status)] = []
        for task in tasks {
            let (before, status) = task.state.withLock { ($0.stored, $0.depart(as: departure)) }
            gone.append((task, before))
            state.status.taskWent(as: status ?? before)
            if let status { ended.append((task, status)) }
        }
        state.list.remove(gone)
        for task in tasks { callStarts(of: task) }
        for (task, status) in ended {
            observe(task, .state(status, nil))
            notify(task, status, in: &state)
        }
    }

    /// Removes a task that could not be stored. It only represents the failure.
    func discard(_ task: DownloadTask, _ error: FerryError, in state: inout State) {
        let before = task.state.withLock { task in
            defer { task.discard(error) }
            return task.stored
        }
        state.list.remove([(task, before)])
        callStarts(of: task)
        observe(task, .state(.failed, nil))
        notify(task, .failed, in: &state)
    }

    private func callStarts(of task: DownloadTask) {
        for start in task.state.withLock({ $0.readers.takeStarts() }) { start.call() }
    }

    /// Appends a new task to the list.
    func insert(_ task: DownloadTask, in state: inout State) {
        state.list.append(task)
        state.status.taskCame()
    }

    /// Updates the manager's status, and notifies of a change.
    func update(_ state: inout State) {
        if let status = state.status.update(state.list.counts) { notifyManagers(status, in: &state) }
    }
}

extension Status {
    /// The status for a transfer's state, or nil for one from a newer daemon.
    init?(_ state: TransferState) {
        switch state {
        case .waiting: self = .waiting
        case .running: self = .running
        case .suspended: self = .suspended
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .canceled: self = .canceled
        case .unknown: return nil
        }
    }
}
