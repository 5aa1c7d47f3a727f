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
    /// A place in the line of a key. The first has the lock.
    private struct Place: Sendable {
        let ticket: Int
        var continuation: CheckedContinuation<Void, Never>?
    }

    private var lines: [Key: [Place]] = [:]
    private var lastTicket = 0

    /// Takes the lock if it is free. Returns whether it was.
    mutating func take(_ key: Key) -> Bool {
        guard lines[key] == nil else { return false }
        return enter(key) == nil
    }

    func isTaken(_ key: Key) -> Bool { lines[key] != nil }

    /// Enters the line of a key, behind all others.
    ///
    /// - Returns: The ticket to wait with. `nil` if the lock was free and is taken.
    mutating func enter(_ key: Key) -> Int? {
        lastTicket += 1
        let isFree = lines[key] == nil
        lines[key, default: []].append(Place(ticket: lastTicket))
        return isFree ? nil : lastTicket
    }

    /// Resumes a continuation once its ticket has the lock.
    mutating func wait(_ key: Key, _ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard let index = lines[key]?.firstIndex(where: { $0.ticket == ticket }), index > 0 else {
            return continuation.resume()
        }
        lines[key]?[index].continuation = continuation
    }

    /// Releases the lock to the longest-waiting caller.
    mutating func leave(_ key: Key) {
        guard var line = lines[key] else { return }
        line.removeFirst()
        line.first?.continuation?.resume()
        lines[key] = line.isEmpty ? nil : line
    }
}

extension LocalTransferService {
    /// Locks a transfer, waiting for other actions on it.
    func lock(_ id: TransferID) async { await lock([id]) }

    /// Locks several transfers, waiting for other actions on them.
    ///
    /// It enters all lines at once, so two calls never wait for each other.
    func lock(_ ids: [TransferID]) async {
        while ids.contains(where: locks.submissions.isTaken) {
            await withCheckedContinuation { locks.submissions.wait($0) }
        }
        await wait(enterLines(of: ids))
    }

    /// Enters the lines of transfers. Returns the tickets to wait with.
    func enterLines(of ids: [TransferID]) -> [(id: TransferID, ticket: Int)] {
        ids.compactMap { id in locks.transfers.enter(id).map { (id, $0) } }
    }

    /// Waits until transfers are locked.
    func wait(_ tickets: [(id: TransferID, ticket: Int)]) async {
        for (id, ticket) in tickets { await withCheckedContinuation { locks.transfers.wait(id, ticket, $0) } }
    }

    /// Locks a transfer without waiting. Returns false if another action has locked it.
    func lockIfFree(_ id: TransferID) -> Bool { !locks.submissions.isTaken(id) && locks.transfers.take(id) }

    /// Unlocks a transfer.
    func unlock(_ id: TransferID) {
        locks.transfers.leave(id)
        take(.unlocked(id))
    }

    /// Serializes changes of the same settings, both in the journal and in memory. `nil` is the service's settings.
    func lock(forSettingsOf session: SessionID?) async {
        guard let ticket = locks.settings.enter(session) else { return }
        await withCheckedContinuation { locks.settings.wait(session, ticket, $0) }
    }

    /// Locks a session for a bulk action, waiting for others.
    func lock(forActionsIn session: SessionID) async {
        guard let ticket = locks.actions.enter(session) else { return }
        await withCheckedContinuation { locks.actions.wait(session, ticket, $0) }
    }
}
