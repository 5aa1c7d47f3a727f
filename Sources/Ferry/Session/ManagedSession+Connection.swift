// Ferry: Ferry
// How a session is attached, and stays so.

import FerryClient
import FerryCore
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession: AttachedSessionClient {
    /// Seconds for which a call waits for the daemon (docs/behaviour/session-manager.md#C7).
    static let patience = 5.0

    // MARK: Waiting

    /// Returns once it is known whether the session is attached, or the daemon has had its time.
    func settled() async {
        // The process that had the session may have ended since.
        if isRefused { attached.openAgain() }
        await attached.settled()
    }

    /// Whether another process has the session, as far as is known.
    var isRefused: Bool {
        if case .refused = attached.standing { return true }
        return false
    }

    /// Why calls cannot be made; nil while the session is attached.
    var obstacle: FerryError? {
        switch attached.standing {
        case .following: nil
        case .refused: .sessionInUse(identifier: place.identifier)
        case .idle, .attaching, .listing, .closed: .daemonUnavailable(message: "The daemon has not answered in time.")
        }
    }

    // MARK: AttachedSessionClient

    var shownTransfers: Set<TransferID> { state.withLock { Set($0.byTransfer.keys) } }

    func willList(_ service: any SessionService) async throws(FerryCore.TransferError) {
        _ = try await service.changeSession(place.session, settings)
    }

    /// Until the daemon answers again, its tasks wait for it.
    func lost() {
        state.withLock { state in
            for task in state.tasks {
                let status = task.state.withLock { task in task.isSubmitted ? task.stored : .suspended }
                guard status.isUnfinished else { continue }
                move(task, to: .waiting, in: &state) { $0.waitingReason = .daemon }
            }
            update(&state)
        }
    }

    func isUnreachable(_ error: FerryCore.TransferError) {
        log { .error("The session is not attached.", error: FerryError(error)) }
    }

    func isRefused(_ error: FerryCore.TransferError) {
        let identifier = place.identifier
        log { .error("The session is not attached.", error: FerryError.sessionInUse(identifier: identifier)) }
    }

    /// Makes tasks of what is in the list, and brings those that are known up to it.
    func take(_ listing: SessionListing) {
        let canceled = listing.transfers.filter { $0.state == .canceled }.map(\.id)
        state.withLock { state in
            let isFirst = !state.isListed
            for transfer in listing.transfers where transfer.state != .canceled {
                if let task = state.byTransfer[transfer.id] ?? adopt(transfer, in: &state) {
                    take(transfer, of: task, in: &state)
                } else {
                    restore(transfer, in: &state)
                }
            }
            let gone = listing.gone.union(canceled)
            depart(
                state.tasks.filter { task in task.state.withLock(\.transfer).map(gone.contains) ?? false }, in: &state)
            sort(&state, by: listing.attached.order)
            state.isListed = true
            if isFirst { state.status = state.counts.status ?? .waiting } else { update(&state) }
        }
        if !canceled.isEmpty { forget(canceled) }
        handleCalls()
    }

    /// Takes in what the daemon tells.
    func take(_ signal: SessionSignal, _ place: EventNumbers.Place) {
        state.withLock { state in
            take(signal, isListed: place.isListed, in: &state)
            if place.isCaughtUp { tellMissedEnd(in: &state) }
        }
    }

    func hasTold() async { await deliveries.waitUntilQuiet() }

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
