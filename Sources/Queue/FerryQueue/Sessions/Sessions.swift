package import FerryCore
package import FerryRules

/// Global and session settings, and the order of each session's transfers.
///
/// Pure value: no clock, no I/O. The service owns it and passes committed changes.
package struct Sessions: Sendable {
    private struct Session: Sendable {
        package var settings = SessionSettings()
        /// Ranks of its transfers in the stored order. Empty if ordered by age.
        package var ranks: [TransferID: Int] = [:]
    }

    /// Global settings.
    package private(set) var settings: ServiceSettings
    private var sessions: [SessionID: Session] = [:]

    init(_ settings: ServiceSettings) { self.settings = settings }

    // MARK: Changes

    mutating func change(to settings: ServiceSettings) { self.settings = settings }

    mutating func change(_ id: SessionID, to settings: SessionSettings) {
        sessions[id, default: Session()].settings = settings
    }

    /// Applies the connection limit of a process that has opened a session.
    mutating func follow(_ attachment: SessionAttachment, of id: SessionID) {
        // A manager that gives no limit keeps the one it has set.
        guard !attachment.isManager || attachment.connectionsPerHost != nil else { return }
        sessions[id, default: Session()].settings.hostConnections = attachment.connectionsPerHost
    }

    /// Sets the order of a session's transfers. Unlisted transfers follow, oldest first.
    mutating func order(_ id: SessionID, _ ids: [TransferID]) {
        var ranks: [TransferID: Int] = [:]
        for (rank, id) in ids.enumerated() { ranks[id] = rank }
        sessions[id, default: Session()].ranks = ranks
    }

    // MARK: Questions

    package func settings(of id: SessionID) -> SessionSettings { sessions[id]?.settings ?? SessionSettings() }

    /// Returns a transfer's position in its session's order, or `Int.max` if it has none.
    package func rank(of transfer: TransferID, in id: SessionID) -> Int { sessions[id]?.ranks[transfer] ?? .max }

    /// Returns the network policy that applies: the stricter of the transfer's own and the session's.
    package func network(_ own: NetworkPolicy, in id: SessionID) -> NetworkPolicy {
        sessions[id]?.settings.network?.restricted(by: own) ?? own
    }

    package func key(_ record: TransferRecord) -> QueueKey {
        let request = record.request
        let origin = (try? HTTPURL(parsing: request.url))?.origin.description ?? request.url
        return QueueKey(
            session: request.session, origin: origin, priority: request.timing.priority,
            network: network(request.transport.network, in: request.session))
    }

    package func key(_ transfer: PendingTransfer) -> QueueKey {
        QueueKey(
            session: transfer.session, origin: transfer.origin, priority: transfer.priority,
            network: network(transfer.network, in: transfer.session))
    }

    package func key(_ line: StoredQueueKey) -> QueueKey {
        QueueKey(
            session: line.session, origin: line.origin, priority: line.priority,
            network: network(line.network, in: line.session))
    }

    /// Returns the limits without any running transfer.
    ///
    /// - Parameter throttledOrigins: Origins that asked for no new requests for a while.
    package func rules(throttledOrigins: Set<String>) -> SlotLimits {
        SlotLimits(
            settings: settings, sessionLimits: sessions.compactMapValues(\.settings.activeTransfers),
            sessionHostLimits: sessions.compactMapValues(\.settings.hostConnections), running: EmptyCollection(),
            throttledOrigins: throttledOrigins)
    }
}
