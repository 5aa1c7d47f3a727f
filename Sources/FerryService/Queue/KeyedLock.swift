import FerryCore

/// Locks of transfers, sessions and settings. Owned by the service.
struct ServiceLocks: Sendable {
    /// One action at a time per transfer.
    var transfers = KeyedLock<TransferID>()
    /// One settings change at a time per session. `nil` is the service's settings.
    var settings = KeyedLock<SessionID?>()
    /// One bulk action at a time per session.
    var actions = KeyedLock<SessionID>()
    /// Transfers that are being stored and are not queued yet.
    var submissions = SubmissionLocks()
}

/// Keeps actions from new transfers until they are queued: they would be queued after the action otherwise.
struct SubmissionLocks: Sendable {
    private var ranges: [ClosedRange<TransferID>] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Locks consecutive new transfers.
    mutating func take(_ ids: ClosedRange<TransferID>) { ranges.append(ids) }

    func isTaken(_ id: TransferID) -> Bool { ranges.contains { $0.contains(id) } }

    /// Waits for the end of any submission.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Unlocks transfers that are queued, or were not stored.
    mutating func leave(_ ids: ClosedRange<TransferID>) {
        guard let index = ranges.firstIndex(of: ids) else { return }
        ranges.remove(at: index)
        let all = waiting
        waiting = []
        for one in all { one.resume() }
    }
}

/// Serializes actions on the same key, in order of arrival. Different keys are independent. Owned by one actor.
struct KeyedLock<Key: Hashable & Sendable>: Sendable {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Takes the lock if it is free. Returns whether it was.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    func isTaken(_ key: Key) -> Bool { waiting[key] != nil }

    mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key, default: []].append(continuation)
    }

    /// Releases the lock to the longest-waiting caller.
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
    /// Locks a transfer, waiting for other actions on it.
    func lock(_ id: TransferID) async {
        while locks.submissions.isTaken(id) { await withCheckedContinuation { locks.submissions.wait($0) } }
        if !locks.transfers.take(id) { await withCheckedContinuation { locks.transfers.wait(id, $0) } }
    }

    /// Locks several transfers, waiting for other actions on them.
    func lock(_ ids: [TransferID]) async {
        for id in ids { await lock(id) }
    }

    /// Unlocks a transfer.
    func unlock(_ id: TransferID) {
        locks.transfers.leave(id)
        take(.unlocked(id))
    }

    /// Serializes changes of the same settings, both in the journal and in memory. `nil` is the service's settings.
    func lock(forSettingsOf session: SessionID?) async {
        if !locks.settings.take(session) { await withCheckedContinuation { locks.settings.wait(session, $0) } }
    }

    /// Locks a session for a bulk action, waiting for others.
    func lock(forActionsIn session: SessionID) async {
        if !locks.actions.take(session) { await withCheckedContinuation { locks.actions.wait(session, $0) } }
    }
}
