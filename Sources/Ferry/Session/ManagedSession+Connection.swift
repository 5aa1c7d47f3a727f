// Ferry: Ferry
// How a session is attached, and stays so.

import FerryCore
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession {
    /// Seconds for which a call waits for the daemon (docs/behaviour/session-manager.md#C7).
    static let patience = 5.0

    /// Keeps the session attached; another process may have it, then the next call tries again.
    func connect() {
        let begins = state.withLock { state in
            guard !state.isConnecting else { return false }
            state.isConnecting = true
            state.connection = .underWay
            return true
        }
        guard begins else { return }
        Task(name: "session of managers", executorPreference: BlockingExecutor.shared) {
            var delay = 0.05
            var start = ContinuousClock.now
            while true {
                switch await self.attachOnce() {
                case .refused(let error): return self.refuse(error)
                case .lost(wasAttached: true, _):
                    delay = 0.05
                    start = .now
                case .lost(wasAttached: false, let error):
                    // Said once for each time that the daemon is away.
                    if delay == 0.05, let error { self.log { .error("The session is not attached.", error: error) } }
                    delay = min(delay * 2, 1)
                }
                if start.duration(to: .now) > .seconds(Self.patience) { self.releaseSettled() }
                try? await Task.sleep(for: .seconds(delay))
            }
        }
    }

    private enum Course {
        case lost(wasAttached: Bool, FerryError?)
        case refused(FerryError)
    }

    /// Attaches and reads the session's events until the connection breaks.
    private func attachOnce() async -> Course {
        var isAttached = false
        var failure: FerryError?
        do {
            let service = try await place.service()
            for try await signal in try await service.attach(place.session, place.attachment) {
                switch signal {
                case .attached(let attached):
                    state.withLock { $0.replayed = attached.history }
                    try await takeList(service, order: attached.order)
                    isAttached = true
                case .event, .batch: take(signal)
                case .idle: break
                }
            }
        } catch let error as FerryCore.TransferError where error.code == .sessionInUse {
            return .refused(.sessionInUse(identifier: place.identifier))
        } catch {
            failure = FerryError(any: error)
        }
        lost()
        return .lost(wasAttached: isAttached, failure)
    }

    private func refuse(_ error: FerryError) {
        state.withLock { state in
            state.connection = .refused(error)
            state.isConnecting = false
        }
        log { .error("The session is not attached.", error: error) }
        releaseSettled()
    }

    /// Nobody tells of the tasks until the daemon answers again.
    private func lost() {
        state.withLock { state in
            guard case .attached = state.connection else { return }
            state.connection = .underWay
            for task in state.tasks {
                let status = task.state.withLock { task in task.isSubmitted ? task.stored : .suspended }
                guard status.isUnfinished else { continue }
                move(task, to: .waiting, in: &state) { $0.waitingReason = .daemon }
            }
            update(&state)
        }
    }

    private func releaseSettled() {
        let waiters = state.withLock { state in
            defer { state.settled = [] }
            return state.settled
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once it is known whether the session is attached, or the daemon has had its time.
    func settled() async {
        // The process that had the session may have ended since.
        if isRefused { connect() }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .underWay = state.connection else { return true }
                state.settled.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Whether another process has the session, as far as is known.
    var isRefused: Bool {
        state.withLock { state in
            if case .refused = state.connection { return true }
            return false
        }
    }

    /// Why calls cannot be made; nil while the session is attached.
    var obstacle: FerryError? {
        state.withLock { state in
            switch state.connection {
            case .attached: nil
            case .refused(let error): error
            case .underWay: .daemonUnavailable(message: "The daemon has not answered in time.")
            }
        }
    }

    // MARK: The list

    /// Takes in what the daemon has, before its events are read.
    private func takeList(_ service: any SessionService, order: [TransferID]) async throws(FerryCore.TransferError) {
        _ = try await service.changeSession(place.session, settings)
        let last = try await service.status().lastEvent
        let transfers = try await service.allTransfers(of: place.session)
        let forgotten = transfers.filter { $0.state == .canceled }.map(\.id)
        takeIn(transfers.filter { $0.state != .canceled }, order: order, through: last)
        if !forgotten.isEmpty {
            _ = try? await service.act(.remove, in: place.session, on: TransferIDRuns(forgotten))
        }
        releaseSettled()
        handleCalls()
    }

    /// Makes tasks of what is in the list, and brings those that are known up to it.
    private func takeIn(_ transfers: [Transfer], order: [TransferID], through last: Int64) {
        let waiters = state.withLock { state in
            let isFirst = !state.isListed
            var listed: Set<TransferID> = []
            for transfer in transfers {
                listed.insert(transfer.id)
                if let task = state.byTransfer[transfer.id] ?? adopt(transfer, in: &state) {
                    take(transfer, of: task, in: &state)
                } else {
                    restore(transfer, in: &state)
                }
            }
            let gone = state.tasks.filter { task in
                task.state.withLock(\.transfer).map { !listed.contains($0) } ?? false
            }
            depart(gone, in: &state)
            sort(&state, by: order)
            state.isListed = true
            state.connection = .attached
            state.history = last
            if isFirst { state.status = state.counts.status ?? .waiting } else { update(&state) }
            return advance(&state, to: last)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The task that a transfer was submitted for, where the answer to that was lost.
    private func adopt(_ transfer: Transfer, in state: inout State) -> DownloadTask? {
        guard let note = transfer.note.flatMap({ TaskNote(text: $0.data) }),
            let task = state.byID[DownloadTask.ID(rawValue: note.id)]
        else { return nil }
        return register(task, transfer.id, in: &state) ? task : nil
    }

    /// Orders the tasks: those that the daemon has an order for, then the others as they came.
    private func sort(_ state: inout State, by order: [TransferID]) {
        guard !order.isEmpty else { return }
        var ranks: [TransferID: Int] = [:]
        for (rank, id) in order.enumerated() { ranks[id] = rank }
        let keyed = state.tasks.enumerated().map { index, task in
            (rank: task.state.withLock(\.transfer).flatMap { ranks[$0] } ?? order.count + index, task: task)
        }
        state.tasks = keyed.sorted { $0.rank < $1.rank }.map(\.task)
    }
}
