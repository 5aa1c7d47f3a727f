// Ferry: FerryService
// Limits of sessions and of all.

package import FerryCore
import FerryEngine

extension LocalTransferService {
    package func settings() async throws(TransferError) -> ServiceSettings { queue.sessions.settings }

    package func changeSettings(_ change: ServiceSettingsChange) async throws(TransferError) -> ServiceSettings {
        await takeTurn(forSettingsOf: nil)
        defer { turns.settings.leave(nil) }
        let changed = queue.sessions.settings.applying(change)
        try changed.validate()
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in try transaction.saveSettings(changed) }
        }
        queue.sessions.change(to: changed)
        ties.limiter.rate = changed.rateLimit
        engine.budget.setLimits(perHost: changed.connectionsPerHost, total: changed.connectionsTotal)
        takeConditions()
        schedule()
        return changed
    }

    package func changeSession(
        _ id: SessionID, _ settings: SessionSettings
    ) async throws(TransferError) -> SessionInfo {
        try settings.validate()
        await takeTurn(forSettingsOf: id)
        defer { turns.settings.leave(id) }
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in try transaction.saveSession(id, settings) }
        }
        let old = queue.sessions.settings(of: id)
        queue.sessions.change(id, to: settings)
        ties.follow(settings, of: id)
        if old.network != settings.network { try await followNetwork(of: id) }
        await stopExcess(of: id)
        schedule()
        guard let info = try await sessions().first(where: { $0.id == id }) else {
            throw TransferError(.internal, "The session \(id) was not stored.")
        }
        return info
    }

    /// Lets those who wait in a session and those who run follow its changed network policy.
    private func followNetwork(of session: SessionID) async throws(TransferError) {
        // The line knows the policies that applied; what the requests themselves say is in the journal.
        let pending = try await noting { () async throws(TransferError) in
            try await journal.read { reader throws(TransferError) in try reader.pending(of: session) }
        }
        let own = Dictionary(pending.map { ($0.id, $0.network) }, uniquingKeysWith: { $1 })
        func changed(_ key: QueueKey, _ id: TransferID) -> QueueKey {
            guard let policy = own[id] else { return key }
            var key = key
            key.network = network(policy, in: session)
            watchConditions(for: key)
            return key
        }
        let moved = lines.changeKeys(of: session, to: changed) { key($0) }
        for id in running.ids(of: session) {
            if let key = running.key(of: id) { running.changeKey(of: id, to: changed(key, id)) }
            await stopIfForbidden(id)
        }
        tellWaiting(moved.filter { obstacle($0.new) != obstacle($0.old) }.map(\.id))
    }
}
