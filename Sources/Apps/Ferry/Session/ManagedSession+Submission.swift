import Dispatch
import FerryCore
import FerryClient
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// The meaning of a download call.
enum DownloadOrder {
    case new(DownloadTask, RequestPlan)
    /// An existing task, and the call's change to it.
    case known(DownloadTask, TransferChange?)
}

extension ManagedSession {
    /// Sends the limits to the daemon, after earlier calls.
    func sendSettings() {
        commands.add {
            await self.settled()
            // A daemon that does not respond gets the limits at the next attachment.
            guard self.obstacle == nil, let service = try? await self.place.service() else { return }
            do {
                try await service.changeSession(self.place.session, to: self.settings)
            } catch {
                self.log { .error("The configuration was not stored.", error: error) }
            }
        }
    }

    /// Stores tasks in one transaction, after earlier calls.
    ///
    /// - Parameter done: Called once all the daemon's events of it were processed, with nil if the tasks are stored.
    func store(_ submission: Submission, done: @escaping @Sendable (FerryError?) -> Void) {
        commands.add {
            guard submission.send() else { return done(.daemonUnavailable(message: "The daemon has not responded.")) }
            done(await self.send(submission))
        }
    }

    /// Stores tasks, and returns when they are stored or cannot be, or the daemon takes too long.
    func storeAndWait(_ submission: Submission) {
        let done = DispatchSemaphore(value: 0)
        store(submission) { _ in done.signal() }
        if done.wait(timeout: .now() + Self.patience + 1) == .success { return }
        guard submission.giveUp() else { return done.wait() }
        fail(submission.tasks, .daemonUnavailable(message: "The daemon has not responded in \(Int(Self.patience)) s."))
    }

    private func send(_ submission: Submission) async -> FerryError? {
        state.withLock { $0.early.submissionBegan() }
        defer { state.withLock { $0.early.submissionEnded() } }
        var isRepeated = false
        while true {
            await settled()
            if let obstacle = obstacle ?? refusal(of: submission) {
                fail(submission.tasks, obstacle)
                return obstacle
            }
            // A submission whose result was lost is in the list of the next attachment, completely or not at all.
            if isRepeated, submission.tasks.contains(where: { $0.state.withLock(\.isSubmitted) }) { return nil }
            let lists = attached.lists
            do throws(ServiceError) {
                let report = try await place.service().submit(submission.batch)
                take(report, of: submission)
                await attached.applied(through: report.lastEvent)
                if !submission.known.isEmpty { await goneOn(submission.known, report) }
                return nil
            } catch {
                guard error.code == .daemonUnreachable, !isRepeated else {
                    let error = FerryError(error)
                    fail(submission.tasks, error)
                    return error
                }
                isRepeated = true
                await attached.listed(after: lists)
            }
        }
    }

    /// Returns the error if the configuration allows only responses from a cache, which downloads do not use.
    private func refusal(of submission: Submission) -> FerryError? {
        submission.tasks.first.flatMap { mapping.refusal(URLRequest(url: $0.url)) }.map { .transport($0) }
    }

    /// Processes the report of a submission, and earlier signals about its transfers.
    private func take(_ report: TransferBatch.Report, of submission: Submission) {
        state.withLock { state in
            for (task, result) in zip(submission.tasks, report.results) {
                if let id = result.id {
                    _ = state.list.store(task, as: id)
                } else {
                    discard(task, result.error.map { FerryError($0) } ?? .unknown, in: &state)
                }
            }
            for (signal, isListed) in state.early.take() { take(signal, isListed: isListed, in: &state) }
            update(&state)
        }
    }

    /// Processes the results of existing tasks that a submission started.
    private func goneOn(
        _ known: [(task: DownloadTask, change: TransferChange?)], _ report: TransferBatch.Report
    ) async {
        // A list read meanwhile may still show a run that has ended: only the event is reliable.
        await attached.streamed(through: report.lastEvent)
        let refused = Dictionary((report.failures ?? []).map { ($0.id, $0.error) }) { first, _ in first }
        for (task, change) in known {
            let error = task.state.withLock { task -> ServiceError? in
                if let error = task.transfer.flatMap({ refused[$0] }) { return error }
                if let name = change?.name { task.file.name = name }
                return nil
            }
            if let error { log { .error("A task could not be changed.", error: FerryError(error)) } }
        }
    }

    /// Removes tasks that could not be stored.
    func fail(_ tasks: [DownloadTask], _ error: FerryError) {
        state.withLock { state in
            for task in tasks { discard(task, error, in: &state) }
            update(&state)
        }
        log { .error("The download was not stored.", error: error) }
    }

    // MARK: Download calls

    /// Finds or creates the task of a URL.
    ///
    /// - Parameters:
    ///   - keptName: The name of the URL's file that stayed after its task was removed.
    ///   - templates: The templates of the call's downloads.
    func order(
        _ url: URL, headers: [String: String]?, fileName: String?, keptName: String?, manager: SessionManager,
        templates: inout PlanTemplates
    ) -> DownloadOrder {
        let address = url.absoluteString
        let name = fileName.map { FileNaming.sanitized($0, url: address) }
        let fallback = FileNaming.defaultName(for: url)
        let isKept = keptName != nil && (name == nil || name == keptName)
        let final = (isKept ? keptName : name) ?? fallback
        let (task, known) = state.withLock { state -> (DownloadTask, TransferChange??) in
            // A task that an earlier call is about to cancel or remove makes room for another.
            if let task = state.list.task(named: address) {
                let isLeaving = task.state.withLock { $0.calls.makeRoom() }
                if !isLeaving {
                    let change = task.state.withLock { task in
                        task.change(headers: headers, name: name) { templates.transfer(url, headers: $0) }
                    }
                    return (task, .some(change))
                }
            }
            let note = TaskNote(url: address)
            var task = TaskState(note: note, url: url, folder: manager.cache.downloadFilePath, fileName: final)
            task.asked.headers = headers ?? [:]
            let made = DownloadTask(task, url: url, session: self)
            insert(made, in: &state)
            update(&state)
            return (made, nil)
        }
        if let known { return .known(task, known) }
        // No other download uses the default name.
        let conflict: ConflictPolicy? = isKept ? .skip : name == nil || name == fallback ? .replace : nil
        return .new(task, templates.plan(url, headers: headers ?? [:], name: final, conflict: conflict))
    }

    /// Resumes an existing task, and returns once the daemon has stored that.
    func resumeAndWait(_ task: DownloadTask, _ change: TransferChange?, then: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        resumeTasks([(task, change)]) {
            then()
            done.signal()
        }
        _ = done.wait(timeout: .now() + Self.patience + 1)
    }

    /// Stores tasks and resumes others in one transaction. Returns once that is done or cannot be.
    func storeAndWait(
        _ new: [(task: DownloadTask, plan: RequestPlan)],
        goingOn known: [(task: DownloadTask, change: TransferChange?)]
    ) {
        let had = known.map(\.task).filter { $0.state.withLock(\.stored) == .succeeded }
        // The daemon renames a finished file separately: only it knows a free name.
        let finished = Set(had)
        var known = known
        for index in known.indices {
            guard let change = known[index].change, change.name != nil, finished.contains(known[index].task) else {
                continue
            }
            self.change(known[index].task, done: { _ in }) { change }
            known[index].change = nil
        }
        var template = TransferRequest(url: "", folder: "")
        template.session = place.session
        storeAndWait(Submission(new, goingOn: known, template: new.isEmpty ? template : nil))
        for task in had where task.state.withLock(\.stored) == .succeeded { notifyAgain(task) }
    }

    /// Resumes existing tasks.
    func resumeTasks(
        _ tasks: [(task: DownloadTask, change: TransferChange?)], then: @escaping @Sendable () -> Void
    ) {
        for (task, change) in tasks {
            if let change { self.change(task, done: { _ in }) { change } }
        }
        let had = tasks.map(\.task).filter { $0.state.withLock(\.stored) == .succeeded }
        perform(.start, on: tasks.map(\.task)) { [self] _ in
            for task in had where task.state.withLock(\.stored) == .succeeded { notifyAgain(task) }
            then()
        }
    }

    /// Calls the success closures again, because a call asked for an existing file
    /// (docs/behaviour/session-manager.md#S5).
    private func notifyAgain(_ task: DownloadTask) {
        let slot = task.state.withLock { $0.closures.slots.end(.succeeded) }
        if let slot { TaskEnds.deliver(slot, of: task, status: .succeeded) }
    }

    /// Calls the handler of a call.
    func call<Value: Sendable>(_ handler: Handler<Value>?, with value: Value, onMainQueue: Bool) {
        guard let handler else { return }
        deliveries.add(DeliveryQueue(onMainQueue: onMainQueue)) { handler(value) }
    }

    /// Calls the handler of a call that has started a task, once the task is running or known to wait: the daemon
    /// stores a start before it schedules the transfer (docs/behaviour/session-manager.md#C5).
    func callStarted(_ handler: Handler<DownloadTask>?, with task: DownloadTask, onMainQueue: Bool) {
        guard let handler else { return }
        let start = StartHandler { self.call(handler, with: task, onMainQueue: onMainQueue) }
        let isStarting = state.withLock { state in
            guard state.list.has(task), state.list.counts.running < state.configuration.maxConcurrentTasksLimit else {
                return false
            }
            return task.state.withLock { task in
                guard task.stored == .waiting, task.waitingReason == .slot else { return false }
                task.readers.add(start)
                return true
            }
        }
        guard isStarting else { return start.call() }
        // It may wait for tasks of other managers, without any event.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.startPatience) { start.call() }
    }

    /// Calls the handler of a call after the closures of every task and manager that it has brought to an end
    /// (docs/behaviour/session-manager.md#B2).
    func callLast<Value: Sendable>(_ handler: Handler<Value>?, with value: Value, onMainQueue: Bool) {
        guard let handler else { return }
        let line = DeliveryQueue(onMainQueue: onMainQueue)
        let last = state.withLock { $0.notifications.afterEnds(in: line) }
        deliveries.add(line, after: last) { handler(value) }
    }
}
