import FerryCore
import FerryEngine

/// Transfers that have a slot: what each uses of what is limited, what becomes of its attempt, and what the attempt leaves
/// for the next one.
///
/// A value without clock and I/O. The service owns it, tells it what happens, and holds the tasks and runs (``Attempt``).
struct Running: Sendable {
    /// What becomes of an attempt; it only moves on in this order.
    enum Disposition: Int, Comparable, Sendable {
        /// It goes on until it ends by itself.
        case continues
        /// It stops, and its transfer goes back into line: another transfer may have its slot.
        case yieldsSlot
        /// It stops, and no other attempt follows by itself.
        case stops
        /// It stops, and an action was answered before it had.
        case isAbandoned

        static func < (left: Disposition, right: Disposition) -> Bool { left.rawValue < right.rawValue }
    }

    /// What an attempt uses of what is limited.
    private enum Use: Sendable {
        /// A slot, and a connection to its host.
        case connection
        /// Nothing, within bounds: the look-up of its host's name takes long, and another transfer may have its slot.
        case name
        /// A slot alone: all its bytes are there.
        case place
        /// Nothing, within bounds: all its bytes are in memory, and its file is made and placed together with other files.
        case placeTogether
    }

    private struct Slot: Sendable {
        var key: QueueKey
        var disposition = Disposition.continues
        var use = Use.connection
        /// Whether the transfer has given a slot away already while its host's name was looked up; it keeps this one.
        let isKept: Bool
    }

    private var slots: [TransferID: Slot] = [:]
    /// The records of attempts that have a run, with the facts that it has recorded.
    private var records: [TransferID: TransferRecord] = [:]
    /// Requests that were changed since their transfers got their slots.
    private var changes: [TransferID: TransferRequest] = [:]
    /// Transfers that wait for a slot after they have given one away.
    private var keepers: Set<TransferID> = []
    /// Digests of the bytes on disk of transfers that wait for their next attempt.
    private var digests: [TransferID: RunningDigest] = [:]
    /// How large the last files of each origin were.
    private var sizes: [String: RecentSizes] = [:]

    // MARK: The life of an attempt

    /// Gives a transfer a slot.
    ///
    /// - Returns: whether it has got one. One that has a slot gets no second: two attempts would write to the same file.
    mutating func start(_ id: TransferID, _ key: QueueKey) -> Bool {
        guard slots[id] == nil else { return false }
        slots[id] = Slot(key: key, isKept: keepers.remove(id) != nil)
        return true
    }

    /// Notes that an attempt has a run.
    ///
    /// - Returns: the request that the run is to follow; nil if it has not changed since the transfer got its slot.
    mutating func begin(_ id: TransferID, _ record: TransferRecord) -> TransferRequest? {
        guard slots[id] != nil else { return nil }
        records[id] = record
        guard let changed = changes[id] else { return nil }
        records[id]?.request = changed
        return changed
    }

    /// Takes up what a run has recorded.
    mutating func take(_ facts: TransferFacts, of id: TransferID) { records[id]?.facts = facts }

    /// Lets an attempt, and the one after it, follow a changed request.
    mutating func follow(_ id: TransferID, _ request: TransferRequest) {
        guard slots[id] != nil else { return }
        slots[id]?.key.priority = request.priority
        records[id]?.request = request
        changes[id] = request
    }

    mutating func changeKey(of id: TransferID, to key: QueueKey) { slots[id]?.key = key }

    /// Notes that all bytes of a transfer are there: it needs no connection any more.
    mutating func becameWhole(_ id: TransferID, inMemory: Bool) {
        slots[id]?.use = inMemory ? .placeTogether : .place
    }

    /// Whether all bytes of a transfer are there, and its file is being placed.
    func isWhole(_ id: TransferID) -> Bool { slots[id].map { $0.use == .place || $0.use == .placeTogether } ?? false }

    /// Ends an attempt: its transfer has no slot any more.
    ///
    /// - Parameter next: the attempt that follows from its report.
    /// - Returns: the attempt that follows, if it is still to, and whether an action was answered before this end.
    mutating func end(_ id: TransferID, _ next: NextAttempt?) -> (next: NextAttempt?, wasAbandoned: Bool) {
        records[id] = nil
        let changed = changes.removeValue(forKey: id)
        guard let disposition = slots.removeValue(forKey: id)?.disposition else { return (nil, false) }
        guard let next, disposition < .stops else { return (nil, disposition == .isAbandoned) }
        return (changed.map(next.following) ?? next, false)
    }

    // MARK: Stopping

    /// Notes that attempts are to stop, and that no other follows.
    ///
    /// - Returns: the transfers that have a slot.
    @discardableResult
    mutating func stop(_ ids: some Sequence<TransferID>) -> [TransferID] {
        let running = ids.filter { slots[$0] != nil }
        for id in running { move(id, to: .stops) }
        return running
    }

    /// Notes that actions are answered although attempts have not ended.
    mutating func leave(_ ids: [TransferID]) {
        for id in ids { move(id, to: .isAbandoned) }
    }

    private mutating func move(_ id: TransferID, to disposition: Disposition) {
        guard let old = slots[id]?.disposition, old < disposition else { return }
        slots[id]?.disposition = disposition
    }

    /// Sends the last of a session's transfers back into line, as many as are over its limits.
    ///
    /// - Parameter rank: the place of a transfer in the session's order; `Int.max` if it has none.
    /// - Returns: the transfers whose runs are to stop, the last first.
    mutating func giveExcessBack(
        of session: SessionID, _ settings: SessionSettings, rank: (TransferID) -> Int
    ) -> [TransferID] {
        let total = settings.activeTransfers ?? .max
        let each = settings.hostConnections ?? .max
        let running = slots.filter { $0.value.key.session == session && $0.value.disposition == .continues }
        guard running.count > min(total, each) else { return [] }
        let order = running.map { (id: $0.key, key: $0.value.key, rank: rank($0.key)) }.sorted { one, other in
            if one.key.priority != other.key.priority { return one.key.priority > other.key.priority }
            return one.rank == other.rank ? one.id < other.id : one.rank < other.rank
        }
        var kept = 0
        var keptOf: [String: Int] = [:]
        var excess: [TransferID] = []
        for (id, key, _) in order {
            if kept < total, keptOf[key.origin, default: 0] < each {
                kept += 1
                keptOf[key.origin, default: 0] += 1
            } else {
                excess.append(id)
                move(id, to: .yieldsSlot)
            }
        }
        return excess.reversed()
    }

    // MARK: Names that take long

    /// Lets other transfers use the slot of a transfer while its host's name is looked up.
    mutating func waitsForName(_ id: TransferID) {
        guard let slot = slots[id], slot.use == .connection, !slot.isKept else { return }
        slots[id]?.use = .name
    }

    /// Notes that a transfer does not wait for a name any more.
    mutating func waitsForNoName(_ id: TransferID) {
        if slots[id]?.use == .name { slots[id]?.use = .connection }
    }

    /// Takes the slot back that a transfer has given away; where there is none for it, it goes back into line.
    ///
    /// It does so once: with its next slot it would be overtaken again and again.
    /// - Parameter rules: the limits before anything runs.
    /// - Returns: whether its run is to stop.
    mutating func takeSlotBack(_ id: TransferID, under rules: SlotLimits) -> Bool {
        waitsForNoName(id)
        guard let slot = slots[id], slot.disposition == .continues, !slot.isKept else { return false }
        guard limits(under: rules, without: id).obstacle(slot.key) != nil else { return false }
        move(id, to: .yieldsSlot)
        keepers.insert(id)
        return true
    }

    /// Transfers that wait for names, and whose slots other transfers may use meanwhile.
    var waitingForNames: [TransferID] { slots.filter { $0.value.use == .name }.map(\.key) }

    // MARK: Limits

    /// Transfers that wait for the names of their hosts, without the slots that they had.
    private static let mostUnnamed = 64

    /// Small files that wait, all their bytes in memory, to be placed together, without the slots that they had.
    private static let mostPlacedTogether = 64

    /// What may run beside the transfers that have a slot.
    ///
    /// - Parameters:
    ///   - rules: the limits before anything runs.
    ///   - own: a transfer that is not counted.
    func limits(under rules: SlotLimits, without own: TransferID? = nil) -> SlotLimits {
        var limits = rules
        var together = 0
        var unnamed = 0
        for (id, slot) in slots where id != own {
            switch slot.use {
            case .name where unnamed < Self.mostUnnamed: unnamed += 1
            // The more files are placed together, the less each of them costs; other transfers fetch meanwhile.
            case .placeTogether
            where together < Self.mostPlacedTogether && !rules.limitsTransfers(of: slot.key.session):
                together += 1
            case .place, .placeTogether: limits.takeSlot(slot.key)
            case .connection, .name: limits.add(slot.key)
            }
        }
        return limits
    }

    // MARK: What attempts leave for the next ones

    /// Keeps the digest of the bytes on disk for the next attempt; nil forgets the one that is kept.
    mutating func keep(_ digest: RunningDigest?, of id: TransferID) { digests[id] = digest }

    /// Takes out the digest that the last attempt has left.
    mutating func takeDigest(of id: TransferID) -> RunningDigest? { digests.removeValue(forKey: id) }

    /// Forgets what is kept for the next attempt of a transfer that has ended.
    mutating func forget(_ id: TransferID) {
        digests[id] = nil
        keepers.remove(id)
    }

    /// Notes how large a file of an origin was.
    mutating func noteSize(_ size: Int64, of origin: String) { sizes[origin, default: RecentSizes()].add(size) }

    /// Whether many small files of an origin follow each other, so that one connection of HTTP/2 pays for them.
    ///
    /// See docs/behaviour/transfers.md#Q8.
    /// - Parameter waiting: how many stand in line for the origin.
    func hasManySmallFiles(_ origin: String, waiting: Int) -> Bool {
        guard sizes[origin]?.areSmall == true else { return false }
        return slots.values.count { $0.key.origin == origin } + waiting >= 8
    }

    // MARK: Questions

    var isEmpty: Bool { slots.isEmpty }

    /// The transfers that have a slot.
    var ids: [TransferID] { Array(slots.keys) }

    /// The transfers of a session that have a slot.
    func ids(of session: SessionID) -> [TransferID] {
        slots.filter { $0.value.key.session == session }.map(\.key)
    }

    func contains(_ id: TransferID) -> Bool { slots[id] != nil }

    /// What becomes of a transfer's attempt; nil if it has no slot.
    func disposition(of id: TransferID) -> Disposition? { slots[id]?.disposition }

    /// Whether a transfer is to make no attempt: it is to stop, or it has no slot.
    func isStopping(_ id: TransferID) -> Bool { slots[id].map { $0.disposition >= .stops } ?? true }

    func key(of id: TransferID) -> QueueKey? { slots[id]?.key }

    /// Whether a transfer has a run.
    func hasRun(_ id: TransferID) -> Bool { records[id] != nil }

    /// The record of a transfer that has a run.
    func record(of id: TransferID) -> TransferRecord? { records[id] }

    /// The transfers that have a run.
    var withRun: Set<TransferID> { Set(records.keys) }

    /// The transfers of a session that have a run; nil is all sessions.
    func withRun(of session: SessionID?) -> Set<TransferID> {
        guard let session else { return withRun }
        return Set(records.keys.filter { slots[$0]?.key.session == session })
    }

    /// How many transfers of a session have a run; nil is all sessions.
    func countWithRun(of session: SessionID? = nil) -> Int {
        guard let session else { return records.count }
        return records.keys.count { slots[$0]?.key.session == session }
    }

    /// Whether a discretionary transfer has a slot.
    var hasDiscretionary: Bool { slots.values.contains { $0.key.network.isDiscretionary } }
}

/// How large the last files of an origin were: HTTP/2's single connection pays for many small ones.
private struct RecentSizes: Sendable {
    private static let count = 8
    private static let small: Int64 = 4 << 20
    private var sizes: [Int64] = []

    mutating func add(_ size: Int64) {
        sizes.append(size)
        if sizes.count > Self.count { sizes.removeFirst() }
    }

    var areSmall: Bool { sizes.count == Self.count && sizes.allSatisfy { $0 <= Self.small } }
}
