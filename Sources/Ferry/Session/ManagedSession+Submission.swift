import Dispatch
import FerryCore
import FerryClient
import FerryURLSession
import Foundation
import Synchronization

/// What a download call means.
enum DownloadOrder {
    case new(DownloadTask, RequestPlan)
    /// A task that is there, and what the call changes about it.
    case known(DownloadTask, TransferChange?)
}

extension ManagedSession {
    /// The limits as the daemon is to know them.
    var settings: SessionSettings { state.withLock(\.configuration).settings }

    /// Tells the daemon the limits, after the calls before.
    func sendSettings() {
        commands.add {
            await self.settled()
            // A daemon that does not answer is told when the session is attached again.
            guard self.obstacle == nil, let service = try? await self.place.service() else { return }
            do {
                try await service.changeSession(self.place.session, to: self.settings)
            } catch {
                self.log { .error("The configuration was not stored.", error: error) }
            }
        }
    }

    /// Stores tasks in one transaction, after the calls before.
    ///
    /// - Parameter done: told once all that the daemon has said of it was taken in; nil if the tasks are stored.
    func store(_ submission: Submission, done: @escaping @Sendable (FerryError?) -> Void) {
        commands.add {
            guard submission.send() else { return done(.daemonUnavailable(message: "The daemon has not answered.")) }
            done(await self.send(submission))
        }
    }

    /// Stores tasks, and returns when they are stored or cannot be; gives up when the daemon takes too long.
    func storeAndWait(_ submission: Submission) {
        let done = DispatchSemaphore(value: 0)
        store(submission) { _ in done.signal() }
        if done.wait(timeout: .now() + Self.patience + 1) == .success { return }
        guard submission.giveUp() else { return done.wait() }
        fail(submission.tasks, .daemonUnavailable(message: "The daemon has not answered in \(Int(Self.patience)) s."))
    }

    private func send(_ submission: Submission) async -> FerryError? {
        state.withLock { $0.early.submissionBegan() }
        defer { state.withLock { $0.early.submissionEnded() } }
        var isRepeated = false
        while true {
            await settled()
            if let obstacle {
                fail(submission.tasks, obstacle)
                return obstacle
            }
            // A submission whose answer was lost is in the list of the next attachment, all of it or nothing.
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

    /// Takes in what became of a submission, and what was told of its transfers before.
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

    /// Takes in what became of tasks that went on with a submission.
    private func goneOn(
        _ known: [(task: DownloadTask, change: TransferChange?)], _ report: TransferBatch.Report
    ) async {
        // A list that was read meanwhile may show a run that has ended: only the event tells.
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

    /// Takes tasks out that could not be stored.
    func fail(_ tasks: [DownloadTask], _ error: FerryError) {
        state.withLock { state in
            for task in tasks { discard(task, error, in: &state) }
            update(&state)
        }
        log { .error("The download was not stored.", error: error) }
    }

    // MARK: What a download call means

    /// Finds the task of a URL, or makes it.
    ///
    /// - Parameters:
    ///   - keptName: the name of the URL's file that has stayed when its task went.
    ///   - templates: what the downloads of the call share.
    func order(
        _ url: URL, headers: [String: String]?, fileName: String?, keptName: String?, manager: SessionManager,
        templates: inout PlanTemplates
    ) -> DownloadOrder {
        let address = url.absoluteString
        let name = fileName.map { FileNaming.sanitized($0, url: address) }
        return state.withLock { state in
            // A task that an earlier call is about to end makes room for another.
            if let task = state.list.task(named: address) {
                let isLeaving = task.state.withLock { $0.calls.makeRoom() }
                if !isLeaving {
                    return .known(task, task.state.withLock { $0.change(headers: headers, name: name) })
                }
            }
            let fallback = FileNaming.defaultName(for: url)
            let isKept = keptName != nil && (name == nil || name == keptName)
            // No other download gives a file the default name.
            let policy: ConflictPolicy? = isKept ? .skip : name == nil || name == fallback ? .replace : nil
            let template = templates.template(headers: headers ?? [:], policy: policy) {
                RequestPlan.template(state.configuration, place: place, cache: manager.cache)
            }
            let final = (isKept ? keptName : name) ?? fallback
            let note = TaskNote(url: address)
            var task = TaskState(note: note, url: url, folder: manager.cache.downloadFilePath, fileName: final)
            task.asked.headers = headers ?? [:]
            let made = DownloadTask(task, url: url, session: self)
            insert(made, in: &state)
            update(&state)
            return .new(made, RequestPlan(template: template, url: address, name: final))
        }
    }

    /// Lets a task that is there go on, and returns when the daemon has stored that.
    func goOnAndWait(_ task: DownloadTask, _ change: TransferChange?, then: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        goOn([(task, change)]) {
            then()
            done.signal()
        }
        _ = done.wait(timeout: .now() + Self.patience + 1)
    }

    /// Stores tasks and lets others go on in one transaction, and returns when that is done or cannot be.
    func storeAndWait(
        _ new: [(task: DownloadTask, plan: RequestPlan)],
        goingOn known: [(task: DownloadTask, change: TransferChange?)], cache: Cache
    ) {
        let had = known.map(\.task).filter { $0.state.withLock(\.stored) == .succeeded }
        // A finished file gets its other name by itself: only the daemon knows which one is free.
        let finished = Set(had)
        var known = known
        for index in known.indices {
            guard let change = known[index].change, change.name != nil, finished.contains(known[index].task) else {
                continue
            }
            self.change(known[index].task, done: { _ in }) { change }
            known[index].change = nil
        }
        let template = RequestPlan.template(state.withLock(\.configuration), place: place, cache: cache)
        storeAndWait(Submission(new, goingOn: known, template: new.isEmpty ? template : nil))
        for task in had where task.state.withLock(\.stored) == .succeeded { notifyAgain(task) }
    }

    /// Lets tasks that are there go on.
    func goOn(
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

    /// Calls the closures of a success once more: a call asked for a file that is there
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

    /// Calls the handler of a call that has started a task, once the task runs or is known to wait for something: the daemon
    /// stores a start before it gives the transfer its place (docs/behaviour/session-manager.md#C5).
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
        // It may wait for other managers' tasks, of which nothing is told.
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
