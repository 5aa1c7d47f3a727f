// Ferry: FerryService
// The order of a session's transfers, and who has to give a slot back.

package import FerryCore
import FerryEngine
import FerryStore

extension LocalTransferService {
    package func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(TransferError) {
        await takeTurn(forSettingsOf: session)
        defer { turns.settings.leave(session) }
        let stored = try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                try transaction.saveOrder(ids, of: session)
            }
        }
        try await takeOrdered(stored, of: session)
        setOrder(stored, of: session)
        schedule()
    }

    /// Lets a session's transfers come in this order.
    func setOrder(_ ids: [TransferID], of session: SessionID) {
        var state = self.session(session)
        state.ranks = [:]
        for (rank, id) in ids.enumerated() { state.ranks[id] = rank }
        sessionStates[session] = state
        lines.order(session, ids)
    }

    /// Sends the last of a session's running transfers back into the line, as many as are over its limits.
    func stopExcess(of session: SessionID) async {
        guard let state = sessionStates[session] else { return }
        let total = state.settings.activeTransfers ?? .max
        let each = state.settings.hostConnections ?? .max
        let running = live.filter { $0.value.key.session == session && !$0.value.isStopping && !$0.value.isExcess }
        guard running.count > min(total, each) else { return }
        var kept = 0
        var keptOf: [String: Int] = [:]
        var excess: [TransferID] = []
        for (id, transfer) in running.sorted(by: { state.comes($0, before: $1) }) {
            let origin = transfer.key.origin
            if kept < total, keptOf[origin, default: 0] < each {
                kept += 1
                keptOf[origin, default: 0] += 1
            } else {
                excess.append(id)
                transfer.isExcess = true
            }
        }
        for id in excess.reversed() { await live[id]?.run?.stop() }
    }
}

extension SessionState {
    /// Whether a running transfer comes before another by priority and the session's order, else by age.
    fileprivate func comes(
        _ one: (key: TransferID, value: LiveTransfer), before other: (key: TransferID, value: LiveTransfer)
    ) -> Bool {
        let (priority, otherPriority) = (one.value.key.priority, other.value.key.priority)
        if priority != otherPriority { return priority > otherPriority }
        let (rank, otherRank) = (ranks[one.key] ?? .max, ranks[other.key] ?? .max)
        return rank == otherRank ? one.key < other.key : rank < otherRank
    }
}
