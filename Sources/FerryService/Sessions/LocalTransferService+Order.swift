// Ferry: FerryService
// The order of a session's transfers, and who has to give a slot back.

package import FerryCore
import FerryEngine

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
        queue.sessions.order(session, ids)
        lines.order(session, ids)
    }

    /// Sends the last of a session's running transfers back into the line, as many as are over its limits.
    func stopExcess(of session: SessionID) async {
        let sessions = queue.sessions
        let excess = running.giveExcessBack(of: session, sessions.settings(of: session)) {
            sessions.rank(of: $0, in: session)
        }
        for id in excess { await attempts[id]?.run?.stop() }
    }
}
