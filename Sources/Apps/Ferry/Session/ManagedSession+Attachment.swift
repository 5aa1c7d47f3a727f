import FerryClient
import FerryCore
import FerryURLSession
import Foundation
import Synchronization

extension ManagedSession: AttachedSessionClient {
    // MARK: Waiting

    /// Returns once the session is attached or refused, or the wait for the daemon has timed out.
    func settled() async {
        // The process that had the session may have ended since.
        if isRefused { attached.openAgain() }
        await attached.settled()
    }

    /// Whether another process had the session at the last attempt to attach.
    var isRefused: Bool {
        if case .refused = attached.standing { return true }
        return false
    }

    /// Why calls are not possible, or nil while the session is attached.
    var obstacle: FerryError? {
        switch attached.standing {
        case .following: nil
        case .refused: .sessionInUse(identifier: place.identifier)
        case .idle, .attaching, .listing, .closed:
            .daemonUnavailable(message: attached.failure?.message ?? "The daemon has not responded in time.")
        }
    }

    // MARK: AttachedSessionClient

    var shownTransfers: Set<TransferID> { state.withLock(\.list.transfers) }

    func willList(_ service: any SessionService) async throws(ServiceError) {
        try await service.changeSession(place.session, to: settings)
    }

    /// Makes the unfinished tasks wait for the daemon, which is gone.
    func lost() {
        state.withLock { state in
            for task in state.list.all {
                let status = task.state.withLock { task in task.isSubmitted ? task.stored : .suspended }
                guard status.isUnfinished else { continue }
                move(task, to: .waiting, in: &state) { $0.waitingReason = .daemon }
            }
            update(&state)
        }
    }

    func isUnreachable(_ error: ServiceError) {
        log { .error("The session is not attached.", error: FerryError(error)) }
    }

    func isRefused(_ error: ServiceError) {
        let identifier = place.identifier
        log { .error("The session is not attached.", error: FerryError.sessionInUse(identifier: identifier)) }
    }

    /// Creates tasks for listed transfers without one, and updates the others.
    func take(_ listing: SessionListing) {
        let canceled = listing.transfers.filter { $0.state == .canceled }.map(\.id)
        let gone = listing.gone.union(canceled)
        state.withLock { state in
            for transfer in listing.transfers where transfer.state != .canceled {
                if let task = state.list.task(of: transfer.id) ?? adopt(transfer, in: &state) {
                    take(transfer, of: task, in: &state)
                } else {
                    restore(transfer, in: &state)
                }
            }
            let left = state.list.all.filter { task in task.state.withLock(\.transfer).map(gone.contains) ?? false }
            depart(left, in: &state)
            state.list.order(by: listing.attached.order)
            if let status = state.status.listed(state.list.counts) { notifyManagers(status, in: &state) }
        }
        if !canceled.isEmpty { forget(canceled) }
        events.listed()
    }

    /// Processes a signal of the daemon.
    func take(_ signal: SessionSignal, _ place: EventNumbers.Place) {
        state.withLock { state in
            take(signal, isListed: place.isListed, in: &state)
            if place.isCaughtUp { notifyMissedEnd(in: &state) }
        }
    }

    func hasTold() async { await deliveries.waitUntilQuiet() }

    // MARK: Tasks of the list

    /// Finds the task of a submitted transfer whose submission result was lost.
    private func adopt(_ transfer: Transfer, in state: inout State) -> DownloadTask? {
        guard let note = transfer.note.flatMap({ TaskNote(text: $0.data) }),
            let task = state.list.task(DownloadTask.ID(rawValue: note.id))
        else { return nil }
        return state.list.store(task, as: transfer.id) ? task : nil
    }

    /// Creates a task for a transfer of an earlier process, or of an earlier start.
    private func restore(_ transfer: Transfer, in state: inout State) {
        guard let status = Status(transfer.state), let given = transfer.note else { return }
        guard let note = TaskNote(text: given.data), let url = URL(string: note.url) else {
            let error = FerryError.recordStoreFailed(message: "The note of transfer \(transfer.id) cannot be read.")
            return log { .error("A record was set aside.", error: error) }
        }
        let name = transfer.names.chosen ?? transfer.destination?.lastPathPart ?? url.lastPathComponent
        var task = TaskState(
            note: note, url: url, folder: transfer.folder, fileName: name, startedOver: transfer.startedOver)
        task.transfer = transfer.id
        task.stored = status
        task.isUntold = status.isEnd
        task.asked.url = transfer.url
        task.asked.tags = Set(transfer.tags)
        task.asked.method = HTTPMethod(rawValue: transfer.method) ?? .get
        task.waitingReason = status == .waiting ? WaitingReason(transfer, now: Date()) ?? .slot : nil
        task.take(transfer, now: .now)
        if status == .failed { task.error = task.failure(transfer.error) }
        if status.isEnd { task.decideValidation(transfer) }
        let restored = DownloadTask(task, url: url, session: self)
        insert(restored, in: &state)
        if status == .succeeded { restored.compareUndecided(in: self, after: nil) }
        if note.kind == .chain { state.restored.append(DownloadRequest(restored, in: self)) }
    }
}
