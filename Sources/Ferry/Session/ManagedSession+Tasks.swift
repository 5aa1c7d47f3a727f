// Ferry: Ferry
// Which tasks a session has, and what becomes of them.

import FerryCore
import Foundation
import Synchronization

extension ManagedSession {
    /// Puts a task at the end of the list.
    func insert(_ task: DownloadTask, in state: inout State) {
        let (status, isNamedByURL) = task.state.withLock { ($0.stored, $0.note.isNamedByURL) }
        state.tasks.append(task)
        state.byID[task.id] = task
        if isNamedByURL { state.name(task) }
        state.counts.add(status)
        state.totalDeparture = nil
    }

    /// Notes the daemon's name of a task; whether the task was waiting for one.
    @discardableResult
    func register(_ task: DownloadTask, _ id: TransferID, in state: inout State) -> Bool {
        let isNew = task.state.withLock { task in
            guard task.transfer == nil else { return false }
            task.transfer = id
            task.isSubmitted = true
            return true
        }
        if isNew { state.byTransfer[id] = task }
        return isNew
    }

    /// Makes a task of a transfer that an earlier process, or an earlier start, has left.
    func restore(_ transfer: Transfer, in state: inout State) {
        guard let status = Status(transfer.state), let given = transfer.note else { return }
        guard let note = TaskNote(text: given.data), let url = URL(string: note.url) else {
            let error = FerryError.recordStoreFailed(message: "The note of transfer \(transfer.id) cannot be read.")
            return log { .error("A record was set aside.", error: error) }
        }
        let name = transfer.name ?? transfer.destination?.lastPathPart ?? url.lastPathComponent
        var task = TaskState(note: note, url: url, folder: transfer.folder, fileName: name)
        task.transfer = transfer.id
        task.isSubmitted = true
        task.stored = status
        task.isUntold = status.isEnd
        task.tags = Set(transfer.tags)
        task.method = HTTPMethod(rawValue: transfer.method) ?? .get
        task.startedOver = transfer.startedOver
        task.waitingReason = status == .waiting ? WaitingReason(transfer, now: Date()) ?? .slot : nil
        task.take(transfer, now: .now)
        if status == .failed { task.error = task.failure(transfer.error) }
        if status.isEnd { task.decideValidation(transfer) }
        let restored = DownloadTask(task, url: url, session: self)
        state.byTransfer[transfer.id] = restored
        insert(restored, in: &state)
        if status == .succeeded { compareUndecided(restored, after: nil) }
        if note.kind == .chain { state.restored.append(DownloadRequest(restored, in: self)) }
    }

    // MARK: Changes

    /// Moves a task to what the daemon says; its closures are called if it was something else.
    func move(
        _ task: DownloadTask, to status: Status, in state: inout State,
        _ change: (inout TaskState) -> Void = { _ in }
    ) {
        let (before, reasonBefore, reason) = task.state.withLock { task in
            let before = task.stored
            let reasonBefore = task.waitingReason
            task.stored = status
            if status == .waiting || status == .running { task.error = nil }
            change(&task)
            switch status {
            case .running:
                task.waitingReason = nil
                if task.startDate == 0 { task.startDate = Date().timeIntervalSince1970 }
            case .suspended: if task.will == .willSuspend { task.will = nil }
            case .succeeded, .failed, .canceled, .removed: task.will = nil
            default: break
            }
            if status != .waiting { task.waitingReason = nil }
            if status.isEnd {
                task.window.clear()
                // The daemon says when a transfer has succeeded or failed.
                if before != status, status == .suspended { task.endDate = Date().timeIntervalSince1970 }
            }
            task.updateProgress()
            return (before, reasonBefore, task.waitingReason)
        }
        if before != status || reasonBefore != reason { observe(task, .state(status, reason)) }
        guard before != status else { return }
        task.state.withLock { $0.isUntold = false }
        state.counts.remove(before)
        state.counts.add(status)
        if status.isUnfinished { state.totalDeparture = nil }
        tell(task, status, in: &state)
    }

    /// Takes tasks out whose records are gone.
    func depart(_ tasks: [DownloadTask], as departure: Status? = nil, in state: inout State) {
        guard !tasks.isEmpty else { return }
        let gone = Set(tasks)
        for task in tasks {
            let (status, transfer, before, isForgotten) = task.state.withLock { task in
                let before = task.stored
                if task.isForgotten { return (before, task.transfer, before, true) }
                let status = departure ?? task.departure ?? .removed
                task.stored = status
                task.will = nil
                task.error = nil
                task.waitingReason = nil
                task.window.clear()
                task.endDate = Date().timeIntervalSince1970
                return (status, task.transfer, before, false)
            }
            if let transfer { state.byTransfer[transfer] = nil }
            if state.byID[task.id] === task { state.byID[task.id] = nil }
            state.counts.remove(before)
            state.lastDeparture = status
            if isForgotten { continue }
            observe(task, .state(status, nil))
            tell(task, status, in: &state)
        }
        state.tasks.removeAll { gone.contains($0) }
        state.forgetNames(of: tasks)
    }

    /// Takes a task out that could not be stored: it stands for the failure alone.
    func discard(_ task: DownloadTask, _ error: FerryError, in state: inout State) {
        let before = task.state.withLock { task in
            defer {
                task.stored = .failed
                task.error = error
                task.waitingReason = nil
                task.will = nil
            }
            return task.stored
        }
        state.tasks.removeAll { $0 === task }
        if state.byID[task.id] === task { state.byID[task.id] = nil }
        state.forgetNames(of: [task])
        state.counts.remove(before)
        observe(task, .state(.failed, nil))
        tell(task, .failed, in: &state)
    }

    /// Brings the manager's state up to its tasks, and tells of it if it has changed.
    func update(_ state: inout State) {
        let status: Status
        if let departure = state.pendingDeparture ?? state.totalDeparture, state.counts.open == 0 {
            status = departure
        } else {
            status = state.counts.status ?? state.lastDeparture ?? .waiting
        }
        guard status != state.status else { return }
        state.status = status
        tellManagers(status, in: &state)
    }
}
