import FerryCore
import FerryEngine
import FerryQueue
import FerryRules

/// Changes the global limits, the limits of sessions, and the order of a session's transfers.
actor SettingsChanges {
    private let queue: LiveQueue
    private let journal: any Journal
    private let queries: Queries
    private let events: LiveEvents
    private let conditions: any ConditionSource
    private var locks = SettingsLocks()
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, queries: Queries, events: LiveEvents,
        conditions: any ConditionSource
    ) {
        self.queue = queue
        self.journal = journal
        self.queries = queries
        self.events = events
        self.conditions = conditions
    }

    func change(_ change: ServiceSettingsChange) async throws(ServiceError) -> ServiceSettings {
        await lock(nil)
        defer { locks.leave(nil) }
        let changed = queue.sessions.settings.applying(change)
        try changed.validate()
        try await journal.commit { transaction throws(ServiceError) in try transaction.saveSettings(changed) }
        queue.take(.settings(changed, conditions.report))
        return changed
    }

    func change(_ id: SessionID, _ change: SessionSettingsChange) async throws(ServiceError) -> SessionInfo {
        await lock(id)
        defer { locks.leave(id) }
        let settings = queue.sessions.settings(of: id).applying(change)
        try settings.validate()
        try await journal.commit { transaction throws(ServiceError) in try transaction.saveSession(id, settings) }
        try await queue.takeOrThrow(.session(id, settings))
        guard let info = try await queries.sessions().first(where: { $0.id == id }) else {
            throw ServiceError(.internal, "The session \(id) was not stored.")
        }
        return info
    }

    /// Applies a session's changed network policy to its waiting and running transfers.
    func followNetwork(of session: SessionID) async throws(ServiceError) {
        let pending = try await journal.read { reader throws(ServiceError) in try reader.pending(of: session) }
        let own = Dictionary(pending.map { ($0.id, $0.network) }, uniquingKeysWith: { $1 })
        queue.take(.policies(own, session))
    }

    func hold(_ origin: Origin, seconds: Double) throws(ServiceError) {
        guard (0...Origin.longestHold).contains(seconds) else {
            throw ServiceError(
                .invalidRequest, "An origin is held for 0 to \(Int(Origin.longestHold)) seconds, not \(seconds).")
        }
        queue.take(.held(origin, seconds: seconds, .outside))
    }

    func renewLease(of session: SessionID, until end: Double) throws(ServiceError) {
        guard end.isFinite, end - queue.clock.active.uptime <= SessionID.longestLease else {
            throw ServiceError(
                .invalidRequest, "A session's lease ends at most \(Int(SessionID.longestLease)) seconds from now.")
        }
        queue.take(.lease(session, until: end))
    }

    // MARK: Order

    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError) {
        await lock(session)
        defer { locks.leave(session) }
        let stored = try await journal.commit { transaction throws(ServiceError) in
            try transaction.saveOrder(ids, of: session)
        }
        try await follow(stored, of: session)
    }

    func move(_ id: TransferID, _ move: QueueMove) async throws(ServiceError) -> Int? {
        let session = try await journal.existing(id).request.session
        await lock(session)
        defer { locks.leave(session) }
        let active = queue.active(of: session)
        let moved = try await journal.commit { transaction throws(ServiceError) in
            try transaction.move(id, of: session, to: move, excluding: active).map(Moved.init)
        }
        guard let moved else { return nil }
        if let order = moved.order {
            try await follow(order, of: session)
            await events.publishLive(.changed, try await journal.existing(id))
        }
        return moved.place
    }

    /// Applies a stored order to a session's transfers.
    private func follow(_ order: [TransferID], of session: SessionID) async throws(ServiceError) {
        try await queue.takeOrdered(order, of: session)
        queue.take(.order(session, order))
        queue.schedule()
    }

    // MARK: Locks

    /// Whether the settings of a session, or of the service (`nil`), are being changed.
    func isLocked(_ session: SessionID?) -> Bool { locks.isTaken(session) }

    private func lock(_ session: SessionID?) async {
        guard !locks.take(session) else { return }
        await withCheckedContinuation { locks.wait(session, $0) }
    }
}

private struct Moved: Sendable {
    let place: Int
    let order: [TransferID]?
}
