// Ferry: Ferry
// What the daemon tells of a session's tasks.

import FerryCore
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession {
    /// Takes in what the daemon tells.
    func take(_ signal: SessionSignal) {
        let waiters = state.withLock { state in
            let waiters = take(signal, in: &state)
            let streamed = stream(signal, in: &state)
            tellMissedEnd(in: &state)
            return waiters + streamed
        }
        for waiter in waiters { waiter.resume() }
        acknowledge()
    }

    func take(_ signal: SessionSignal, in state: inout State) -> [CheckedContinuation<Void, Never>] {
        switch signal {
        case .batch(let batch):
            take(batch, in: &state)
            update(&state)
            return advance(&state, to: batch.through)
        case .event(let event):
            take(event, in: &state)
            update(&state)
            return event.number.map { advance(&state, to: $0) } ?? []
        case .attached, .idle:
            return []
        }
    }

    private func take(_ batch: EventBatch, in state: inout State) {
        let isHistory = batch.through <= state.history
        var known: [DownloadTask] = []
        var unknown: [TransferID] = []
        for id in batch.ids {
            if let task = state.byTransfer[id] { known.append(task) } else { unknown.append(id) }
        }
        if !unknown.isEmpty, state.submissions > 0 {
            state.early.append(.batch(EventBatch(kind: batch.kind, through: batch.through, ids: unknown)))
        }
        if isHistory {
            for task in known { take(missed: batch.kind, of: task, in: &state) }
            return
        }
        switch batch.kind {
        case .suspended: for task in known { move(task, to: .suspended, in: &state) }
        case .resumed: for task in known { move(task, to: .waiting, in: &state) { $0.waitingReason = .slot } }
        case .canceled:
            depart(known, as: .canceled, in: &state)
            forget(batch.ids)
        case .removed: depart(known, in: &state)
        case .submitted, .succeeded, .failed, .running, .waiting, .progress, .unknown: break
        }
    }

    /// Takes in a pause or its end that the list may have shown too late: a run that stops is shown as running.
    private func take(missed kind: TransferEvent.Kind, of task: DownloadTask, in state: inout State) {
        let status = task.state.withLock(\.stored)
        switch kind {
        case .suspended where status == .running: move(task, to: .suspended, in: &state)
        case .suspended: tellMissed(task, .suspended, in: &state)
        case .resumed where status == .suspended: move(task, to: .waiting, in: &state) { $0.waitingReason = .slot }
        default: break
        }
    }

    private func take(_ event: TransferEvent, in state: inout State) {
        guard let task = state.byTransfer[event.id] else {
            if state.submissions > 0 { state.early.append(.event(event)) }
            return
        }
        if let number = event.number, number <= state.history {
            if let status = event.transfer.flatMap({ Status($0.state) }) { tellMissed(task, status, in: &state) }
            return
        }
        guard let transfer = event.transfer else { return }
        // A sample that was taken before the task came to rest has been overtaken.
        if event.number == nil, !task.state.withLock({ $0.stored.isUnfinished }) { return }
        take(transfer, of: task, in: &state)
    }

    /// Takes in what the daemon says of one task.
    func take(
        _ transfer: Transfer, of task: DownloadTask, at now: ContinuousClock.Instant = .now, in state: inout State
    ) {
        guard let status = Status(transfer.state) else { return }
        let (restarted, response) = task.state.withLock { task in
            let before = task.response
            let isRestarted = task.take(transfer, now: now)
            let restarted = isRestarted ? transfer.notes.last ?? "The file has changed." : nil
            return (restarted, task.response == before ? nil : task.response)
        }
        if let restarted { observe(task, .restarted(reason: restarted)) }
        if let response {
            observe(task, .response(status: response.status, headers: ResponseMapping.fields(response.fields)))
        }
        if status == .running || status.isEnd { tellProgress(task, isLast: status.isEnd, at: now, in: &state) }
        move(task, to: status, in: &state) { task in
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

    // MARK: Numbers

    /// Notes how far the stream has come, and finds those who have waited for that.
    private func stream(_ signal: SessionSignal, in state: inout State) -> [CheckedContinuation<Void, Never>] {
        switch signal {
        case .batch(let batch): state.streamed = max(state.streamed, batch.through)
        case .event(let event): state.streamed = max(state.streamed, event.number ?? 0)
        case .attached, .idle: break
        }
        let streamed = state.streamed
        return Self.due(&state.streamWaiters, at: streamed)
    }

    /// Takes those out who have waited for a number.
    private static func due(_ waiters: inout [NumberWaiter], at number: Int64) -> [CheckedContinuation<Void, Never>] {
        let due = waiters.filter { $0.number <= number }
        if !due.isEmpty { waiters.removeAll { $0.number <= number } }
        return due.map(\.continuation)
    }

    /// Returns once everything has come on the stream that happened while nobody was attached.
    func caughtUp() async { await streamed(through: state.withLock(\.replayed)) }

    /// Returns once the events up to a number have come on the stream.
    ///
    /// That is later than they were taken in where a list was read meanwhile: it shows runs that are about to stop as
    /// running, and only the event says that they have stopped.
    func streamed(through number: Int64) async { await wait(for: number, of: \.streamed, in: \.streamWaiters) }

    /// Notes that events up to a number were taken in, and finds those who waited for that.
    func advance(_ state: inout State, to number: Int64) -> [CheckedContinuation<Void, Never>] {
        guard number > state.applied else { return [] }
        state.applied = number
        return Self.due(&state.appliedWaiters, at: number)
    }

    /// Returns once the events up to a number were taken in.
    func applied(through number: Int64) async { await wait(for: number, of: \.applied, in: \.appliedWaiters) }

    private func wait(
        for number: Int64, of current: KeyPath<State, Int64>, in waiters: WritableKeyPath<State, [NumberWaiter]>
    ) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state[keyPath: current] < number else { return true }
                state[keyPath: waiters].append(NumberWaiter(number: number, continuation: continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Time between two acknowledgements at least: each costs the daemon a write.
    private static let acknowledgementSpacing: Duration = .milliseconds(200)

    /// Lets the daemon forget events whose closures have been called, at once and then a few times a second.
    private func acknowledge() {
        let rest: Duration? = state.withLock { state in
            guard !state.isAcknowledging, state.acknowledged < state.streamed else { return nil }
            state.isAcknowledging = true
            let now = ContinuousClock.now
            let due = state.lastAcknowledgement.map { $0 + Self.acknowledgementSpacing } ?? now
            state.lastAcknowledgement = max(due, now)
            return max(due - now, .zero)
        }
        guard let rest else { return }
        Task(name: "acknowledgement", executorPreference: BlockingExecutor.shared) {
            if rest > .zero { try? await Task.sleep(for: rest) }
            if await self.acknowledgeNow() { self.acknowledge() }
        }
    }

    /// Acknowledges what was taken in, once its closures have returned; false if the daemon does not answer.
    @discardableResult
    func acknowledgeNow() async -> Bool {
        let number = state.withLock(\.streamed)
        await deliveries.waitUntilQuiet()
        let isDone: Bool
        do {
            try await place.service().acknowledge(place.session, through: number)
            isDone = true
        } catch {
            isDone = false
        }
        state.withLock { state in
            if isDone { state.acknowledged = number }
            state.isAcknowledging = false
        }
        return isDone
    }
}

extension Status {
    /// The state of a task whose transfer is in this one; nil for a word of a newer daemon.
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
