import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Synchronization

/// Force-quits sessions.
actor Quits {
    private let queue: LiveQueue
    private let journal: any Journal
    private let actions: Actions
    private let ends: TransferEnds
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, journal: any Journal, actions: Actions, ends: TransferEnds) {
        self.queue = queue
        self.journal = journal
        self.actions = actions
        self.ends = ends
    }

    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        let sessions: [SessionID]
        switch selection {
        case .session(let id):
            guard queue.apps.contains(id) else {
                throw ServiceError(.invalidRequest, "There is no background session \(id).")
            }
            sessions = [id]
        case .application(let name): sessions = queue.apps.sessions(of: name)
        }
        // Before ending anything: the app is not notified of these transfers.
        for id in sessions { try await mark(id) }
        var results: [ActionResult] = []
        for id in sessions {
            let isManager = queue.apps.registration(of: id)?.isManager == true
            results += isManager ? try await suspendTransfers(of: id) : try await quitTransfers(of: id)
        }
        for id in sessions { try await mark(id) }
        return results
    }

    private func mark(_ id: SessionID) async throws(ServiceError) {
        queue.take(.app(.quit(id)))
        try await journal.saveRegistration(of: id, in: queue.apps)
    }

    /// Suspends running and waiting transfers, keeping their bytes.
    private func suspendTransfers(of session: SessionID) async throws(ServiceError) -> [ActionResult] {
        let unfinished = try await ids(of: session, in: .pending)
        let failures = try await actions.act(.pause, in: session, on: nil).failures
        let suspended = try await Set(ids(of: session, in: .suspended))
        return failures + unfinished.filter(suspended.contains).map { ActionResult(id: $0, state: .suspended) }
    }

    private func ids(of session: SessionID, in phase: JournalPhase) async throws(ServiceError) -> [TransferID] {
        try await journal.read { reader throws(ServiceError) in try reader.ids(of: session, in: phase) }
    }

    private func quitTransfers(of session: SessionID) async throws(ServiceError) -> [ActionResult] {
        var filter = JournalFilter()
        filter.session = session
        filter.limit = 500
        filter.phases = [.pending, .suspended, .canceling]
        // Running transfers are mostly old. Stop them last, so that their slots do not pass to transfers about to be
        // stopped.
        filter.newestFirst = true
        var results: [ActionResult] = []
        while true {
            let page = filter
            let ids = try await journal.read { reader throws(ServiceError) in try reader.page(page).map(\.id) }
            results += await quit(ids)
            guard ids.count == filter.limit, let last = ids.last else { return results.sorted { $0.id < $1.id } }
            filter.after = last
        }
    }

    /// Cancels transfers, keeping the data needed to continue them.
    private func quit(_ ids: [TransferID]) async -> [ActionResult] {
        // Suspend first: a transfer that is only stopped would be retried.
        let stopped = await actions.perform(Act(.pause, on: ids, .stopped))
        defer { queue.take(.release(stopped.held, .files)) }
        let results = Mutex<[ActionResult]>([])
        await concurrently(stopped.held.compactMap { stopped.records[$0] }) { record in
            let result = await self.quit(record)
            results.withLock { $0.append(result) }
        }
        return results.withLock(\.self) + stopped.results.values
    }

    private func quit(_ record: TransferRecord) async -> ActionResult {
        do throws(ServiceError) {
            let left = try await ends.finish(record) { record in
                var machine = TransferMachine(record)
                guard case .finish(let outcome) = machine.quit() else { return nil }
                return (machine.record, outcome)
            }
            return ActionResult(id: record.id, state: left.map { queue.shown($0).state } ?? .canceled)
        } catch {
            return ActionResult(id: record.id, error: error)
        }
    }
}
