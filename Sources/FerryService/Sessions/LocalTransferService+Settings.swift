// Ferry: FerryService
// Limits of sessions and of all.

package import FerryCore
import FerryEngine
import FerryStore

extension LocalTransferService {
    package func settings() async throws(TransferError) -> ServiceSettings { currentSettings }

    package func changeSettings(_ change: ServiceSettingsChange) async throws(TransferError) -> ServiceSettings {
        await takeTurn(forSettingsOf: nil)
        defer { settingsTurns.leave(nil) }
        let changed = currentSettings.applying(change)
        try changed.validate()
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in try transaction.saveSettings(changed) }
        }
        currentSettings = changed
        globalLimiter.rate = changed.rateLimit
        takeConditions()
        schedule()
        return changed
    }

    package func changeSession(
        _ id: SessionID, _ settings: SessionSettings
    ) async throws(TransferError) -> SessionInfo {
        try settings.validate()
        await takeTurn(forSettingsOf: id)
        defer { settingsTurns.leave(id) }
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in try transaction.saveSession(id, settings) }
        }
        var state = session(id)
        state.settings = settings
        state.limiter.rate = settings.rateLimit
        sessionStates[id] = state
        schedule()
        guard let info = try await sessions().first(where: { $0.id == id }) else {
            throw TransferError(.internal, "The session \(id) was not stored.")
        }
        return info
    }

    /// Lets changes of the same settings follow each other, in the journal and here alike; nil stands for those of all.
    private func takeTurn(forSettingsOf session: SessionID?) async {
        if !settingsTurns.take(session) { await withCheckedContinuation { settingsTurns.wait(session, $0) } }
    }
}
