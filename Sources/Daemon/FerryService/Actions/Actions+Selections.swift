import FerryCore
import FerryQueue
import FerryRules

/// Actions as clients call them.
extension Actions {
    func act(
        _ action: TransferAction, on selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        if let ids = selection.ids { return await act(action.command, on: ids, .named) }
        return try await actOnAll(action, in: selection.session)
    }

    /// Walks the journal page by page, so that a million transfers never form one list in memory.
    private func actOnAll(
        _ action: TransferAction, in session: SessionID?
    ) async throws(ServiceError) -> [ActionResult] {
        var filter = JournalFilter()
        filter.session = session
        filter.limit = 500
        filter.phases = action.phases
        // Running transfers are mostly old. Stop them last, so that their slots do not pass to transfers about to be
        // stopped.
        filter.newestFirst = action.isStop
        var results: [ActionResult] = []
        while true {
            let page = filter
            let records = try await journal.read { reader throws(ServiceError) in try reader.page(page) }
            results += await act(action.command, on: records.map(\.id), .page(records))
            guard records.count == filter.limit, let last = records.last else {
                return action.isStop ? results.reversed() : results
            }
            filter.after = last.id
        }
    }

    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report {
        let own = try await journal.read { reader throws(ServiceError) in
            try reader.transfers(of: session, within: ids)
        }
        let done = await perform(Act(action.command, on: own, .session(session, isNamed: ids != nil)))
        if let error = done.error { throw error }
        await launches.consider(session)
        let last = try await journal.read { reader throws(ServiceError) in try reader.lastEvent(of: session) }
        let failures = done.results.values.sorted { $0.id < $1.id }
        return SessionAction.Report(lastEvent: last, failures: Self.unknown(ids, among: own) + failures)
    }

    /// Returns the errors for ids that the session does not have.
    static func unknown(_ ids: TransferIDRuns?, among own: [TransferID]) -> [ActionResult] {
        (ids?.unknown(among: own, atMost: SessionAction.mostUnknown) ?? []).map { id in
            ActionResult(id: id, error: ServiceError(.unknownTransfer, "There is no transfer \(id) in the session."))
        }
    }

    private func act(_ command: TransferCommand, on ids: [TransferID], _ scope: Act.Scope) async -> [ActionResult] {
        var named: Set<TransferID> = []
        let done = await perform(Act(command, on: ids.filter { named.insert($0).inserted }, scope))
        if command == .pause {
            for session in Set(done.stopped.compactMap { done.records[$0]?.request.session }) {
                await launches.consider(session)
            }
        }
        return ids.compactMap { id in
            done.results[id] ?? done.records[id].map { ActionResult(id: id, state: queue.shown($0).state) }
        }
    }
}

extension TransferAction {
    fileprivate var command: TransferCommand {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        case .retry: .start
        case .remove: .forget(file: false, sparesSucceeded: false)
        case .removeWithFile: .forget(file: true, sparesSucceeded: false)
        }
    }

    /// The phases of the transfers that it may change. Empty for all.
    fileprivate var phases: Set<JournalPhase> {
        switch self {
        case .pause: [.pending]
        case .resume: [.suspended, .pending]
        case .cancel: [.pending, .suspended, .canceling]
        case .retry: [.failed]
        case .remove, .removeWithFile: []
        }
    }
}

extension SessionAction {
    fileprivate var command: TransferCommand {
        switch self {
        case .pause: .pause
        case .start: .start
        case .cancel: .forget(file: false, sparesSucceeded: true)
        case .remove: .forget(file: false, sparesSucceeded: false)
        case .removeWithFile: .forget(file: true, sparesSucceeded: false)
        }
    }
}
