import FerryCore
import Foundation
import Logging
import Synchronization

/// Maps transfers to a session's tasks, dispatches the service's events to them, and removes delivered transfers from
/// the service.
final class SessionTransfers: Sendable {
    private struct State {
        var transports: [TransferID: TransferTransport] = [:]
        var ledger: SessionLedger
        var isRemoving = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let mapping: TaskMapping
    let place: TransferPlace
    private let state: Mutex<State>
    /// Delivers serially the results of transfers that had finished before this process attached.
    let kept = CommandQueue()
    /// Submits the tasks of a session of this process, in the order of their first `resume()`.
    let starts = CommandQueue()
    private let notifyFinished: @Sendable () async -> Void
    let logger = Logger(label: "ferry.session")

    /// - Parameter notifyFinished: Notifies the delegate that all pending events have been delivered.
    init(_ mapping: TaskMapping, place: TransferPlace, notifyFinished: @escaping @Sendable () async -> Void = {}) {
        self.mapping = mapping
        self.place = place
        self.notifyFinished = notifyFinished
        state = Mutex(State(ledger: SessionLedger(isRestored: !place.isDaemon)))
    }

    // MARK: Transfers by id

    func register(_ transport: TransferTransport, for id: TransferID) {
        state.withLock { $0.transports[id] = transport }
    }

    func transport(of id: TransferID) -> TransferTransport? { state.withLock { $0.transports[id] } }

    /// The transfers of tasks whose completion has not been delivered.
    var ids: Set<TransferID> { state.withLock { Set($0.transports.keys) } }

    // MARK: Events

    func receive(_ event: TransferEvent) {
        guard let transport = transport(of: event.id) else { return }
        if let transfer = event.transfer {
            transport.observe(transfer)
        } else if event.kind == .removed {
            transport.vanished()
        }
    }

    func ended(_ id: TransferID, isKept: Bool) -> Bool { state.withLock { $0.ledger.ended(id, isKept: isKept) } }

    /// Whether a transfer's completion has been delivered and the service has yet to remove the transfer.
    func isDelivered(_ id: TransferID) -> Bool { state.withLock { $0.ledger.isDelivered(id) } }

    /// Records that the delegate is asked about a challenge.
    func asked() { state.withLock { $0.ledger.asked() } }

    /// Records that the service has the delegate's answer.
    func answered() {
        state.withLock { $0.ledger.answered() }
        work()
    }

    /// Records that a transfer's last delegate call has returned, so that the service may remove it.
    func finished(_ id: TransferID) {
        state.withLock { state in
            state.transports[id] = nil
            state.ledger.finished(id)
        }
        work()
    }

    /// Removes a transfer that has not finished although its task has completed.
    func forget(_ id: TransferID) {
        state.withLock { _ = $0.ledger.ended(id) }
        finished(id)
    }

    func restored() {
        state.withLock { $0.ledger.restored() }
        work()
    }

    func called() {
        state.withLock { $0.ledger.called() }
        work()
    }

    // MARK: Acknowledgements

    /// Returns once no event waits for the delegate or is being handled by it, and the service has acknowledged all.
    func waitUntilQuiet() async {
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                let isQuiet = state.ledger.isQuiet && !state.isRemoving
                if !isQuiet { state.waiters.append(continuation) }
                return isQuiet
            }
            if isQuiet { continuation.resume() }
        }
    }

    /// Maximum time that the exiting process waits for the service, in seconds.
    private static let endLimit = 2.0

    /// Removes the delivered transfers from the service before the process exits. Otherwise the next process would
    /// repeat the delegate calls and look for files that have been moved.
    func acknowledgeAtEnd() {
        let (delivered, transports) = state.withLock { ($0.ledger.unacknowledged, $0.transports) }
        let ending = transports.filter { $1.relay.lastCall.isMade }
        let reported = delivered.union(ending.keys)
        guard !reported.isEmpty else { return }
        for transport in ending.values { transport.task.takeLeftFile()?.remove() }
        let place = place
        _ = Blocking.wait(seconds: Self.endLimit) {
            _ = try? await place.service().act(.remove, on: TransferSelection(ids: reported.sorted()))
        }
    }

    private func work() {
        let begins = state.withLock { state in
            defer { state.isRemoving = true }
            return !state.isRemoving
        }
        guard begins else { return }
        Task(name: "acknowledgements of a session", executorPreference: BlockingExecutor.shared) {
            await self.workAll()
        }
    }

    private func workAll() async {
        while true {
            let (batch, isFinish) = state.withLock { ($0.ledger.takeRemovals(), $0.ledger.takeFinish()) }
            if !batch.isEmpty { await remove(batch) }
            if isFinish { await notifyFinished() }
            guard batch.isEmpty, !isFinish else { continue }
            let (isOver, waiters) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                var ledger = state.ledger
                guard ledger.takeRemovals().isEmpty, !ledger.takeFinish() else { return (false, []) }
                state.isRemoving = false
                guard state.ledger.isQuiet else { return (true, []) }
                defer { state.waiters = [] }
                return (true, state.waiters)
            }
            for waiter in waiters { waiter.resume() }
            if isOver { return }
        }
    }

    private func remove(_ ids: [TransferID]) async {
        do throws(ServiceError) {
            _ = try await place.service().act(.remove, on: TransferSelection(ids: ids))
            state.withLock { $0.ledger.removed(isDone: true) }
        } catch {
            logger.debug("delivered results cannot be removed yet", metadata: ["error": "\(error)"])
            state.withLock { $0.ledger.removed(isDone: false) }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
