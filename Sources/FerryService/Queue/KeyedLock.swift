import FerryCore

/// Which transfers, sessions and settings are being acted upon. Owned by the service.
struct ServiceLocks: Sendable {
    /// One action at a time on one transfer.
    var transfers = KeyedLock<TransferID>()
    /// One change at a time of the settings of a session, or of the service's settings.
    var settings = KeyedLock<SessionID?>()
    /// One action at a time on many transfers of a session.
    var actions = KeyedLock<SessionID>()
}

/// Lets actions on the same key follow each other; actions on different keys do not wait for each other. Owned by one actor.
struct KeyedLock<Key: Hashable & Sendable>: Sendable {
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
    func lock(_ id: TransferID) async {
        if !locks.transfers.take(id) { await withCheckedContinuation { locks.transfers.wait(id, $0) } }
    }

    /// Waits until no other caller acts upon any of some transfers.
    func lock(_ ids: [TransferID]) async {
        for id in ids { await lock(id) }
    }

    /// Ends a turn on a transfer.
    func unlock(_ id: TransferID) {
        locks.transfers.leave(id)
        take(.unlocked(id))
    }

    /// Lets changes of the same settings follow each other, in the journal and in memory alike; nil stands for the service's
    /// settings.
    func lock(forSettingsOf session: SessionID?) async {
        if !locks.settings.take(session) { await withCheckedContinuation { locks.settings.wait(session, $0) } }
    }

    /// Waits until no other caller acts upon many transfers of a session.
    func lock(forActionsIn session: SessionID) async {
        if !locks.actions.take(session) { await withCheckedContinuation { locks.actions.wait(session, $0) } }
    }
}
