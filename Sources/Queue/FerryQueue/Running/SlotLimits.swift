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
    /// How many small files of an origin may be transferred at a time, for origins that have nothing else.
    private var smallFiles: [String: Int] = [:]
    private var running = 0
    /// Small files beyond the connections per host. They take no slot, so that no other transfer waits for them.
    private var extra = 0
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

    /// Returns these limits with more transfers at a time for origins that have small files only.
    package func allowing(smallFiles: [String: Int]) -> SlotLimits {
        var limits = self
        limits.smallFiles = smallFiles
        return limits
    }

    /// Counts a running transfer.
    package mutating func add(_ key: QueueKey) {
        if isExtra(key.origin) {
            extra += 1
            bySession[key.session, default: 0] += 1
        } else {
            takeSlot(key)
        }
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

    /// Whether no transfer may start, whatever its key.
    package var admitsNone: Bool {
        guard isFull else { return false }
        return isFullOfExtras || !smallFiles.keys.contains(where: admitsExtra)
    }

    private var isFullOfExtras: Bool { running + extra >= settings.connectionsTotal }

    /// Whether the next transfer of an origin is a small file that takes no slot.
    private func isExtra(_ origin: String) -> Bool {
        smallFiles[origin] != nil && byOrigin[origin, default: 0] >= settings.connectionsPerHost
    }

    private func admitsExtra(_ origin: String) -> Bool {
        isExtra(origin) && byOrigin[origin, default: 0] < most(of: origin)
    }

    /// How many transfers of an origin may run at a time.
    private func most(of origin: String) -> Int { max(settings.connectionsPerHost, smallFiles[origin] ?? 0) }

    /// Whether a session has its own limit for transfers.
    package func limitsTransfers(of session: SessionID) -> Bool { sessionLimits[session] != nil }

    /// Why a transfer with this key must wait, or nil if it may run.
    package func obstacle(_ key: QueueKey) -> WaitReason? {
        if admitsExtra(key.origin) ? isFullOfExtras : isFull { return .slot }
        if let limit = sessionLimits[key.session], bySession[key.session, default: 0] >= limit { return .session }
        if throttledOrigins.contains(key.origin) { return .server }
        if byOrigin[key.origin, default: 0] >= most(of: key.origin) { return .host }
        let own = SessionOrigin(session: key.session, origin: key.origin)
        if let limit = sessionHostLimits[key.session], bySessionOrigin[own, default: 0] >= limit { return .host }
        return nil
    }
}
