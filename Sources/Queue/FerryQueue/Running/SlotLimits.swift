package import FerryCore

/// Decides which transfers may start beside the running ones (docs/behaviour/transfers.md#L4,
/// docs/behaviour/transfers.md#L6).
///
/// Rebuilt from the live transfers for each use, so that no count can drift.
package struct SlotLimits: Sendable {
    private let settings: ServiceSettings
    private let sessionLimits: [SessionID: Int]
    private let sessionHostLimits: [SessionID: Int]
    private let throttledOrigins: Set<String>
    private var running = 0
    private var bySession: [SessionID: Int] = [:]
    private var byOrigin: [String: Int] = [:]
    private var bySessionOrigin: [SessionOrigin: Int] = [:]

    private struct SessionOrigin: Hashable {
        let session: SessionID
        let origin: String
    }

    /// - Parameters:
    ///   - running: The keys of transfers with a slot.
    ///   - throttledOrigins: Origins that asked for no requests for a while.
    package init(
        settings: ServiceSettings, sessionLimits: [SessionID: Int], sessionHostLimits: [SessionID: Int] = [:],
        running: some Sequence<QueueKey>, throttledOrigins: Set<String>
    ) {
        self.settings = settings
        self.sessionLimits = sessionLimits
        self.sessionHostLimits = sessionHostLimits
        self.throttledOrigins = throttledOrigins
        for key in running { add(key) }
    }

    /// Counts a running transfer.
    package mutating func add(_ key: QueueKey) {
        takeSlot(key)
        byOrigin[key.origin, default: 0] += 1
        bySessionOrigin[SessionOrigin(session: key.session, origin: key.origin), default: 0] += 1
    }

    /// Counts a transfer with a slot and all its bytes, which needs no connection.
    package mutating func takeSlot(_ key: QueueKey) {
        running += 1
        bySession[key.session, default: 0] += 1
    }

    /// Whether every slot is taken.
    package var isFull: Bool { running >= min(settings.activeTransfers, settings.connectionsTotal) }

    /// Whether a session has its own limit for transfers.
    package func limitsTransfers(of session: SessionID) -> Bool { sessionLimits[session] != nil }

    /// Why a transfer with this key must wait, or nil if it may run.
    package func obstacle(_ key: QueueKey) -> WaitReason? {
        if isFull { return .slot }
        if let limit = sessionLimits[key.session], bySession[key.session, default: 0] >= limit { return .session }
        if throttledOrigins.contains(key.origin) { return .server }
        if byOrigin[key.origin, default: 0] >= settings.connectionsPerHost { return .host }
        let own = SessionOrigin(session: key.session, origin: key.origin)
        if let limit = sessionHostLimits[key.session], bySessionOrigin[own, default: 0] >= limit { return .host }
        return nil
    }
}
