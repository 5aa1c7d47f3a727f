import FerryCore

/// Which transfers, sessions and settings are being acted upon. Owned by the service.
struct Turns: Sendable {
    /// One action at a time on one transfer.
    var transfers = TurnLocks<TransferID>()
    /// One change at a time of the settings of a session, or of the service's settings.
    var settings = TurnLocks<SessionID?>()
    /// One action at a time on many transfers of a session.
    var actions = TurnLocks<SessionID>()
}

/// Lets actions on the same key follow each other; actions on different keys do not wait for each other. Owned by one actor.
struct TurnLocks<Key: Hashable & Sendable>: Sendable {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Whether the turn was free, and is taken.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    func isTaken(_ key: Key) -> Bool { waiting[key] != nil }

    mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key, default: []].append(continuation)
    }

    /// Hands the turn to the caller that has waited longest.
    mutating func leave(_ key: Key) {
        guard var line = waiting[key] else { return }
        guard !line.isEmpty else {
            waiting[key] = nil
            return
        }
        let next = line.removeFirst()
        waiting[key] = line
        next.resume()
    }
}

extension LocalTransferService {
    /// Waits until no other caller acts upon a transfer.
    func takeTurn(_ id: TransferID) async {
        if !turns.transfers.take(id) { await withCheckedContinuation { turns.transfers.wait(id, $0) } }
    }

    /// Waits until no other caller acts upon any of some transfers.
    func takeTurns(_ ids: [TransferID]) async {
        for id in ids { await takeTurn(id) }
    }

    /// Ends a turn on a transfer.
    func leaveTurn(_ id: TransferID) {
        turns.transfers.leave(id)
        take(.turnEnded(id))
    }

    /// Lets changes of the same settings follow each other, in the journal and in memory alike; nil stands for the service's
    /// settings.
    func takeTurn(forSettingsOf session: SessionID?) async {
        if !turns.settings.take(session) { await withCheckedContinuation { turns.settings.wait(session, $0) } }
    }

    /// Waits until no other caller acts upon many transfers of a session.
    func takeTurn(forActionsIn session: SessionID) async {
        if !turns.actions.take(session) { await withCheckedContinuation { turns.actions.wait(session, $0) } }
    }
}
