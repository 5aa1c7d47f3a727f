package import FerryCore
import FerryEngine
import Foundation

/// Force-quit.
extension LocalTransferService {
    /// `URLError`'s code for a cancellation by force-quit.
    private static let forceQuit = 0

    package func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult] {
        // Whatever ends the daemon also ends its apps, for example a logout (docs/behaviour/url-session.md#61).
        guard !isShuttingDown else {
            throw ServiceError(.daemonUnreachable, "The daemon is shutting down; its transfers stay as they are.")
        }
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
        for id in sessions { try await markQuit(id) }
        var results: [ActionResult] = []
        for id in sessions {
            let isManager = queue.apps.registration(of: id)?.isManager == true
            results += isManager ? try await suspendTransfers(of: id) : try await quitTransfers(of: id)
        }
        for id in sessions { try await markQuit(id) }
        return results
    }

    private func markQuit(_ id: SessionID) async throws(ServiceError) {
        take(.app(.quit(id)))
        try await noting { () async throws(ServiceError) in try await saveRegistration(id) }
    }

    /// Suspends running and waiting transfers, keeping their bytes.
    private func suspendTransfers(of session: SessionID) async throws(ServiceError) -> [ActionResult] {
        let unfinished = try await ids(of: session, in: .pending)
        let failures = try await act(.pause, in: session, on: nil).failures
        let suspended = try await Set(ids(of: session, in: .suspended))
        return failures + unfinished.filter(suspended.contains).map { ActionResult(id: $0, state: .suspended) }
    }

    private func ids(
        of session: SessionID, in phase: JournalPhase
    ) async throws(ServiceError) -> [TransferID] {
        try await noting { () async throws(ServiceError) in
            try await journal.read { reader throws(ServiceError) in try reader.ids(of: session, in: phase) }
        }
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
            let ids = try await noting { () async throws(ServiceError) in
                try await journal.read { reader throws(ServiceError) in try reader.page(page).map(\.id) }
            }
            for part in [ids.filter { !queue.running.contains($0) }, ids.filter(running.contains)] {
                await withTaskGroup(of: ActionResult.self) { group in
                    for id in part { group.addTask { await self.quit(id) } }
                    for await result in group { results.append(result) }
                }
            }
            guard ids.count == filter.limit, let last = ids.last else { return results.sorted { $0.id < $1.id } }
            filter.after = last
        }
    }

    /// Cancels a transfer, keeping the data needed to continue it.
    private func quit(_ id: TransferID) async -> ActionResult {
        await lock(id)
        defer {
            unlock(id)
            schedule()
        }
        do throws(ServiceError) {
            var record = try await existing(id)
            // The user has already ended it: keep nothing.
            if record.intent.endsTransfer { return ActionResult(id: id, state: shown(record).state) }
            if record.outcome == nil {
                // Suspend first: a transfer that is only stopped would be retried.
                try await suspendSilently(record)
                take(.rested(record))
                guard await stopBriefly([id]).isEmpty else { throw ServiceError.stillStopping(id) }
                record = try await existing(id)
            }
            while record.outcome == nil, !record.intent.endsTransfer {
                record.intent = .cancel
                record.facts.cancelReason = Self.forceQuit
                record.facts.challenge = nil
                if try await finish(record, .canceled) { return ActionResult(id: id, state: .canceled) }
                record = try await existing(id)
            }
            return ActionResult(id: id, state: shown(record).state)
        } catch {
            noteFailure(error)
            return ActionResult(id: id, error: error)
        }
    }
}
