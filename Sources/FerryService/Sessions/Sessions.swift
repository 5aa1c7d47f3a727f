import FerryCore

/// The settings of all transfers and of sessions, and the order of each session's transfers.
///
/// A value without clock and I/O. The service owns it and tells it what was stored.
struct Sessions: Sendable {
    private struct Session: Sendable {
        var settings = SessionSettings()
        /// The stored order of its transfers by their ranks; empty where they come by age.
        var ranks: [TransferID: Int] = [:]
    }

    /// The settings of all.
    private(set) var settings: ServiceSettings
    private var sessions: [SessionID: Session] = [:]

    init(_ settings: ServiceSettings) { self.settings = settings }

    // MARK: Changes

    mutating func change(to settings: ServiceSettings) { self.settings = settings }

    mutating func change(_ id: SessionID, to settings: SessionSettings) {
        sessions[id, default: Session()].settings = settings
    }

    /// Takes up what a process that has opened a session says about connections.
    mutating func follow(_ attachment: SessionAttachment, of id: SessionID) {
        // A manager that says nothing keeps the limit that it has set.
        guard !attachment.isManager || attachment.connectionsPerHost != nil else { return }
        sessions[id, default: Session()].settings.hostConnections = attachment.connectionsPerHost
    }

    /// Lets a session's transfers come in this order; transfers that are not named come after, the oldest first.
    mutating func order(_ id: SessionID, _ ids: [TransferID]) {
        var ranks: [TransferID: Int] = [:]
        for (rank, id) in ids.enumerated() { ranks[id] = rank }
        sessions[id, default: Session()].ranks = ranks
    }

    // MARK: Questions

    func settings(of id: SessionID) -> SessionSettings { sessions[id]?.settings ?? SessionSettings() }

    /// The place of a transfer in its session's order; `Int.max` if it has none.
    func rank(of transfer: TransferID, in id: SessionID) -> Int { sessions[id]?.ranks[transfer] ?? .max }

    /// The network policy that applies in a session in place of a transfer's own, where the session has one.
    func network(_ own: NetworkPolicy, in id: SessionID) -> NetworkPolicy {
        guard var policy = sessions[id]?.settings.network else { return own }
        // What is made in the background stays discretionary.
        policy.isDiscretionary = policy.isDiscretionary || own.isDiscretionary
        return policy
    }

    func key(_ record: TransferRecord) -> QueueKey {
        let request = record.request
        let origin = (try? HTTPURL(parsing: request.url))?.origin.description ?? request.url
        return QueueKey(
            session: request.session, origin: origin, priority: request.priority,
            network: network(request.network, in: request.session))
    }

    func key(_ transfer: PendingTransfer) -> QueueKey {
        QueueKey(
            session: transfer.session, origin: transfer.origin, priority: transfer.priority,
            network: network(transfer.network, in: transfer.session))
    }

    func key(_ line: StoredQueueKey) -> QueueKey {
        QueueKey(
            session: line.session, origin: line.origin, priority: line.priority,
            network: network(line.network, in: line.session))
    }

    /// What bounds the transfers that run, before any does.
    ///
    /// - Parameter throttledOrigins: origins that asked for no new request for a while.
    func rules(throttledOrigins: Set<String>) -> SlotLimits {
        SlotLimits(
            settings: settings, sessionLimits: sessions.compactMapValues(\.settings.activeTransfers),
            sessionHostLimits: sessions.compactMapValues(\.settings.hostConnections), running: EmptyCollection(),
            throttledOrigins: throttledOrigins)
    }
}
