import FerryCore
import FerryClient
import FerryURLSession
import Foundation
import Synchronization

/// A control operation on a task.
enum Control: Hashable, Sendable {
    case start, suspend, cancel
    case remove(completely: Bool)

    /// The status of a running task until the daemon has performed it.
    var will: Status? {
        switch self {
        case .start: nil
        case .suspend: .willSuspend
        case .cancel: .willCancel
        case .remove: .willRemove
        }
    }

    /// The final status after the record's removal.
    var departure: Status? {
        switch self {
        case .start, .suspend: nil
        case .cancel: .canceled
        case .remove: .removed
        }
    }

    var action: SessionAction {
        switch self {
        case .start: .start
        case .suspend: .pause
        case .cancel: .cancel
        case .remove(completely: false): .remove
        case .remove(completely: true): .removeWithFile
        }
    }

    /// Whether it affects a task with this status.
    func concerns(_ status: Status) -> Bool {
        switch self {
        case .start: status != .succeeded
        case .suspend: status.isUnfinished
        case .cancel: status != .succeeded
        case .remove: true
        }
    }
}

extension ManagedSession {
    /// Performs an operation on all tasks in one transaction, after earlier calls.
    func performOnAll(_ control: Control, isPatient: Bool = true, done: @escaping @Sendable (FerryError?) -> Void) {
        perform(control, on: nil, isPatient: isPatient, done: done)
    }

    /// Performs an operation on tasks in one transaction, after earlier calls and merged with adjacent identical ones.
    ///
    /// - Parameters:
    ///   - tasks: Nil for all tasks of the session.
    ///   - isPatient: Whether to perform it even if the daemon responds late.
    ///   - done: Called once all the daemon's events of it were processed.
    func perform(
        _ control: Control, on tasks: [DownloadTask]?, isPatient: Bool = true,
        done: @escaping @Sendable (FerryError?) -> Void
    ) {
        let named = tasks ?? self.tasks
        let call = ControlCall(tasks: named, leaving: announce(control, named), done: done)
        if tasks == nil {
            return commands.add { await self.run(control, [call], isTotal: true, isPatient: isPatient) }
        }
        let group = ControlGroup(control, isPatient: isPatient, call)
        commands.add(for: group, isAbsorbed: { $0.absorb(group) }) {
            await self.run(control, group.calls, isTotal: false, isPatient: isPatient)
        }
    }

    /// Performs calls in one transaction, and reports the result of each.
    private func run(_ control: Control, _ calls: [ControlCall], isTotal: Bool, isPatient: Bool) async {
        let named = calls.flatMap(\.tasks)
        let refusals = await carryOut(control, on: named, isTotal: isTotal, isPatient: isPatient)
        if case .remove(completely: true) = control {
            // The daemon did not place a file that existed before its download.
            cache.deleteKeptFiles(of: Set(named.map(\.url.absoluteString)))
        }
        for call in calls {
            withdraw(control, call)
            let error = refusals.error(of: call.tasks)
            if let error { log { .error("A call could not be carried out.", error: error) } }
            call.done(error)
        }
    }

    /// Shows the intermediate status of running tasks.
    ///
    /// - Returns: The tasks that the call cancels or removes.
    private func announce(_ control: Control, _ tasks: [DownloadTask]) -> [DownloadTask] {
        guard let will = control.will else { return [] }
        var leaving: [DownloadTask] = []
        for task in tasks {
            let (isShown, leaves) = task.state.withLock { $0.calls.begin(control, stored: $0.stored) }
            if leaves { leaving.append(task) }
            if isShown { observe(task, .state(will, nil)) }
        }
        return leaving
    }

    private func withdraw(_ control: Control, _ call: ControlCall) {
        guard control.will != nil else { return }
        for task in call.tasks { task.state.withLock { $0.calls.end(control) } }
        for task in call.leaving { task.state.withLock { $0.calls.endLeaving() } }
        forgetReplaced(call.leaving)
    }

    /// Removes tasks that succeeded before they could be canceled, if another download of the URL was created
    /// meanwhile: a URL identifies one task.
    private func forgetReplaced(_ tasks: [DownloadTask]) {
        let replaced = state.withLock { state in
            tasks.filter { task in
                guard state.list.has(task) else { return false }
                return task.state.withLock { $0.stored == .succeeded && $0.calls.forgetIfReplaced() }
            }
        }
        if !replaced.isEmpty { perform(.remove(completely: false), on: replaced) { _ in } }
    }

    private func carryOut(
        _ control: Control, on named: [DownloadTask], isTotal: Bool, isPatient: Bool
    ) async -> ControlRefusals {
        let affected = prepare(control, named, isTotal: isTotal)
        defer { if isTotal { settleTotal(control, affected) } }
        let ids = isTotal ? nil : transfers(of: named)
        if let ids, ids.isEmpty { return ControlRefusals() }
        while true {
            await settled()
            if let obstacle {
                if case .daemonUnavailable = obstacle, isPatient {
                    try? await Task.sleep(for: .milliseconds(200))
                    continue
                }
                return ControlRefusals(whole: obstacle)
            }
            do throws(ServiceError) {
                let report = try await place.service().act(
                    control.action, in: place.session, on: ids.map(TransferIDRuns.init))
                await attached.streamed(through: report.lastEvent)
                if control == .suspend { await learnBytes(of: named) }
                return ControlRefusals(report.failures)
            } catch {
                guard error.code == .daemonUnreachable, isPatient else {
                    return ControlRefusals(whole: FerryError(error))
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Returns the distinct transfer ids of tasks.
    func transfers(of tasks: [DownloadTask]) -> [TransferID] {
        var seen: Set<TransferID> = []
        return tasks.compactMap { $0.state.withLock(\.transfer) }.filter { seen.insert($0).inserted }
    }

    /// Prepares for removals: records their meaning and the files that stay. Returns the number of affected tasks.
    private func prepare(_ control: Control, _ named: [DownloadTask], isTotal: Bool) -> Int {
        var kept: [(name: String, url: String)] = []
        var concerned = 0
        for task in named {
            task.state.withLock { state in
                guard control.concerns(state.stored) else { return }
                concerned += 1
                state.calls.carryOut(control)
                if case .remove(completely: false) = control, state.stored == .succeeded,
                    state.note.kind == .placed, state.file.folder == cache.downloadFilePath
                {
                    kept.append((name: state.file.name, url: task.url.absoluteString))
                }
            }
        }
        if !kept.isEmpty { cache.keep(kept) }
        if isTotal, let departure = control.departure { state.withLock { $0.status.beganToEndAll(as: departure) } }
        return concerned
    }

    /// Makes a cancellation or removal of all tasks the manager's status, if it affected any task.
    private func settleTotal(_ control: Control, _ affected: Int) {
        guard let departure = control.departure else { return }
        state.withLock { state in
            state.status.endedAll(as: departure, isSome: affected > 0, state.list.counts)
            update(&state)
        }
    }

    // MARK: One task

    /// Changes one transfer, after earlier calls.
    func change(
        _ task: DownloadTask, done: @escaping @Sendable (FerryError?) -> Void,
        _ change: @escaping @Sendable () -> TransferChange
    ) {
        commands.add {
            await self.settled()
            guard let id = task.state.withLock(\.transfer) else {
                return done(.fetchDownloadTaskFailed(url: task.url.absoluteString))
            }
            if let obstacle = self.obstacle { return done(obstacle) }
            do throws(ServiceError) {
                let transfer = try await self.place.service().change(id, change())
                task.state.withLock { $0.takeChange(transfer) }
                done(nil)
            } catch {
                let error = FerryError(error)
                self.log { .error("A task could not be changed.", error: error) }
                done(error)
            }
        }
    }

    /// Asks the service for the partial file of a task, after earlier calls. An unfinished task is canceled.
    ///
    /// - Parameter done: Called with nil if there is nothing to resume, or the daemon does not respond.
    func release(_ task: DownloadTask, done: @escaping @Sendable (PartialSource?) -> Void) {
        commands.add {
            await self.settled()
            guard let id = task.state.withLock(\.transfer), self.obstacle == nil,
                let service = try? await self.place.service()
            else { return done(nil) }
            do throws(ServiceError) {
                done(try await service.release(id))
            } catch {
                self.log { .error("The bytes of a download were not kept.", error: FerryError(error)) }
                done(nil)
            }
        }
    }

    /// Removes obsolete records.
    func forget(_ ids: [TransferID]) {
        commands.add {
            guard let service = try? await self.place.service() else { return }
            _ = try? await service.act(.remove, in: self.place.session, on: TransferIDRuns(ids))
        }
    }

    // MARK: Order

    /// Stores the order of the tasks, after earlier calls. Returns once it is stored or the daemon takes too long.
    func storeOrder() {
        let stored = commands.wait(seconds: Self.patience) {
            await self.settled()
            guard self.obstacle == nil, let service = try? await self.place.service() else { return }
            let ids = self.tasks.compactMap { $0.state.withLock(\.transfer) }
            do {
                try await service.reorder(self.place.session, TransferIDRuns(ids))
            } catch {
                self.log { .error("The order was not stored.", error: error) }
            }
        }
        if !stored {
            log {
                .error("The order was not stored in time.", error: FerryError.daemonUnavailable(message: "No answer."))
            }
        }
    }
}
