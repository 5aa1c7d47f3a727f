package import FerryCore
import FerryQueue
import FerryRules

/// Global limits, session limits, and the order of a session's transfers.
extension LocalTransferService {
    package func settings() async throws(ServiceError) -> ServiceSettings { queue.sessions.settings }

    package func hold(_ origin: Origin, seconds: Double) async throws(ServiceError) {
        guard (0...Origin.longestHold).contains(seconds) else {
            throw ServiceError(
                .invalidRequest, "An origin is held for 0 to \(Int(Origin.longestHold)) seconds, not \(seconds).")
        }
        take(.held(origin, seconds: seconds, .outside))
    }

    package func changeSettings(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        await lock(settingsOf: nil)
        defer { runtime.settingsLocks.leave(nil) }
        let changed = queue.sessions.settings.applying(change)
        try changed.validate()
        try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in try transaction.saveSettings(changed) }
        }
        take(.settings(changed, watch.source.report))
        return changed
    }

    package func changeSession(
        _ id: SessionID, _ change: SessionSettingsChange
    ) async throws(ServiceError) -> SessionInfo {
        await lock(settingsOf: id)
        defer { runtime.settingsLocks.leave(id) }
        let settings = queue.sessions.settings(of: id).applying(change)
        try settings.validate()
        try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in try transaction.saveSession(id, settings) }
        }
        try await performOrThrow(queue.take(.session(id, settings), at: moment))
        guard let info = try await sessions().first(where: { $0.id == id }) else {
            throw ServiceError(.internal, "The session \(id) was not stored.")
        }
        return info
    }

    /// Applies a session's changed network policy to its waiting and running transfers.
    func followNetwork(of session: SessionID) async throws(ServiceError) {
        let pending = try await noting { () async throws(ServiceError) in
            try await journal.read { reader throws(ServiceError) in try reader.pending(of: session) }
        }
        let own = Dictionary(pending.map { ($0.id, $0.network) }, uniquingKeysWith: { $1 })
        take(.policies(own, session))
    }

    // MARK: Order

    package func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        await lock(settingsOf: session)
        defer { runtime.settingsLocks.leave(session) }
        let stored = try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.saveOrder(ids, of: session)
            }
        }
        try await follow(stored, of: session)
    }

    package func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        let session = try await existing(id).request.session
        await lock(settingsOf: session)
        defer { runtime.settingsLocks.leave(session) }
        let active = activeIDs(of: session)
        let moved = try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.move(id, of: session, to: move, excluding: active).map(Moved.init)
            }
        }
        guard let moved else { return nil }
        if let order = moved.order {
            try await follow(order, of: session)
            await publishLive(.changed, try await existing(id))
        }
        return moved.place
    }

    /// Applies a stored order to a session's transfers.
    private func follow(_ order: [TransferID], of session: SessionID) async throws(ServiceError) {
        try await takeOrdered(order, of: session)
        take(.order(session, order))
        schedule()
    }
}

private struct Moved: Sendable {
    let place: Int
    let order: [TransferID]?
}
