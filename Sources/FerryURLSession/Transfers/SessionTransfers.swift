import FerryCore
import Foundation
import Logging
import Synchronization

/// Knows which transfer belongs to which task of a session, brings the service's events to them, and lets the service forget
/// what has been delivered.
final class SessionTransfers: Sendable {
    private struct State {
        var transports: [TransferID: TransferTransport] = [:]
        var ledger: SessionLedger
        var isRemoving = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let mapping: RequestMapping
    let place: TransferPlace
    private let state: Mutex<State>
    /// Delivers the results of transfers that had ended before this process attached, one after the other.
    let kept = CommandQueue()
    private let notifyFinished: @Sendable () async -> Void
    private let logger = Logger(label: "ferry.session")

    /// - Parameter tellFinished: tells the delegate that the events which waited are over.
    init(_ mapping: RequestMapping, place: TransferPlace, notifyFinished: @escaping @Sendable () async -> Void = {}) {
        self.mapping = mapping
        self.place = place
        self.notifyFinished = notifyFinished
        state = Mutex(State(ledger: SessionLedger(isRestored: !place.isDaemon)))
    }

    // MARK: Which is whose

    func register(_ transport: TransferTransport, for id: TransferID) {
        state.withLock { $0.transports[id] = transport }
    }

    func transport(of id: TransferID) -> TransferTransport? { state.withLock { $0.transports[id] } }

    /// The transfers of tasks that have not had their last call.
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

    /// Whether a transfer's task has had its last call, and the service is yet to forget the transfer.
    func isDelivered(_ id: TransferID) -> Bool { state.withLock { $0.ledger.isDelivered(id) } }

    /// The delegate is asked about a challenge.
    func asked() { state.withLock { $0.ledger.asked() } }

    /// The service has the delegate's answer.
    func answered() {
        state.withLock { $0.ledger.answered() }
        work()
    }

    /// A transfer's last delegate call has returned: the service may forget it.
    func finished(_ id: TransferID) {
        state.withLock { state in
            state.transports[id] = nil
            state.ledger.finished(id)
        }
        work()
    }

    /// A task has had its last call though its transfer has not ended: the service is to forget it.
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

    /// Returns once no event waits for the delegate or runs in it, and the service knows of all.
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

    /// Seconds for which the end of the process waits for the service.
    private static let endLimit = 2.0

    /// Removes transfers from the service whose delegate calls are made, since the process is about to end. Otherwise the next
    /// process would make the calls again, and would look for files that are gone.
    func acknowledgeAtEnd() {
        let (delivered, transports) = state.withLock { ($0.ledger.unacknowledged, $0.transports) }
        let ending = transports.filter { $1.relay.lastCall.isMade }
        let told = delivered.union(ending.keys)
        guard !told.isEmpty else { return }
        for transport in ending.values { transport.task.takeLeftFile()?.remove() }
        let place = place
        _ = Blocking.wait(seconds: Self.endLimit) {
            _ = try? await place.service().act(.remove, on: TransferSelection(ids: told.sorted()))
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
