// Ferry: Ferry
// What a download call means: a new task, or one that is there.

import Dispatch
import FerryCore
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
            // One that a call before has ended makes room for another.
            if let task = state.task(named: address) {
                let isLeaving = task.state.withLock { task in
                    if task.leaving > 0 { task.isReplaced = true }
                    return task.leaving > 0
                }
                if !isLeaving {
                    return .known(task, task.state.withLock { $0.change(headers: headers, name: name) })
                }
            }
            let fallback = FileNaming.defaultName(for: url)
            let isKept = keptName != nil && (name == nil || name == keptName)
            // Nobody else gives a file the default name.
            let policy: ConflictPolicy? = isKept ? .skip : name == nil || name == fallback ? .replace : nil
            let template = templates.template(headers: headers ?? [:], policy: policy) {
                RequestPlan.template(state.configuration, place: place, cache: manager.cache)
            }
            let final = (isKept ? keptName : name) ?? fallback
            let note = TaskNote(url: address)
            var task = TaskState(note: note, url: url, folder: manager.cache.downloadFilePath, fileName: final)
            task.headers = headers ?? [:]
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
        for task in had where task.state.withLock(\.stored) == .succeeded { tellAgain(task) }
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
            for task in had where task.state.withLock(\.stored) == .succeeded { tellAgain(task) }
            then()
        }
    }

    /// Calls the closures of a success once more: a call asked for a file that is there
    /// (docs/behaviour/session-manager.md#S5).
    private func tellAgain(_ task: DownloadTask) {
        let slot = task.state.withLock { $0.slots.end(.succeeded) }
        if let slot { TaskEnds.deliver(slot, of: task, status: .succeeded) }
    }

    /// Calls the handler of a call.
    func call<Value: Sendable>(_ handler: Handler<Value>?, with value: Value, onMainQueue: Bool) {
        guard let handler else { return }
        deliveries.add(DeliveryLine(onMainQueue: onMainQueue)) { handler(value) }
    }

    /// Calls the handler of a call after the closures of every task and manager that it has brought to an end
    /// (docs/behaviour/session-manager.md#B2).
    func callLast<Value: Sendable>(_ handler: Handler<Value>?, with value: Value, onMainQueue: Bool) {
        guard let handler else { return }
        let line = DeliveryLine(onMainQueue: onMainQueue)
        let last = state.withLock { line.after($0.lastEnds[0], $0.lastEnds[1]) }
        deliveries.add(line, after: last) { handler(value) }
    }

    func task(of url: URL) -> DownloadTask? {
        state.withLock { state in
            state.task(named: url.absoluteString)
                ?? state.tasks.first { $0.url.absoluteString == url.absoluteString }
        }
    }
}

extension TaskState {
    /// What a download call changes about a task that is there; nil if nothing.
    mutating func change(headers: HTTPHeaders?, name: String?) -> TransferChange? {
        var change = TransferChange()
        // The daemon forgets headers that are secrets when a transfer succeeds or is canceled, and some time after a failure.
        let hasEnded = [.succeeded, .failed, .canceled].contains(stored)
        if let headers, headers != self.headers || hasEnded && !headers.isEmpty {
            self.headers = headers
            change.headers = RequestPlan.fields(headers)
        }
        if let name, name != fileName { change.name = name }
        return change.headers == nil && change.name == nil ? nil : change
    }
}
