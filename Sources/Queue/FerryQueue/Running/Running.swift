package import FerryCore
package import FerryRules

/// The transfers that have a slot: their use of limited resources, the disposition of their attempts, and values kept
/// for the next attempt.
///
/// Pure value: no clock, no I/O. The service owns it, passes events, and holds the tasks and runs (``Attempt``).
package struct Running: Sendable {
    /// How an attempt is to end. Only advances, in this order.
    package enum Disposition: Int, Comparable, Sendable {
        /// The attempt continues until it ends by itself.
        case continues
        /// The attempt stops and its transfer is requeued: another transfer may have its slot.
        case yieldsSlot
        /// The attempt stops, and no other follows automatically.
        case stops
        /// The attempt is stopping, and an action returned before it had.
        case isAbandoned

        package static func < (left: Disposition, right: Disposition) -> Bool { left.rawValue < right.rawValue }
    }

    /// An attempt's use of limited resources.
    private enum Use: Sendable {
        /// A slot, and a connection to its host.
        case connection
        /// None, within bounds: resolving its host name takes long, and another transfer may have its slot.
        case name
        /// A slot only: all its bytes have been received.
        case place
        /// None, within bounds: all its bytes are in memory, and its file is written and placed together with others.
        case placeTogether
        /// None: its outcome is to be stored, and no request is sent.
        case end
    }

    private struct Slot: Sendable {
        package var key: QueueKey
        package var disposition = Disposition.continues
        /// Whether the size of the file is among the recent ones of its origin.
        var isSizeKnown = false
        package var use = Use.connection
        /// Whether the transfer already yielded a slot while its host name was resolved. It keeps this one.
        package let isKept: Bool
    }

    private var slots: [TransferID: Slot] = [:]
    /// Records of attempts that have a run, including the facts the run recorded.
    private var records: [TransferID: TransferRecord] = [:]
    /// Requests changed since their transfers got their slots.
    private var changes: [TransferID: TransferRequest] = [:]
    /// Waiting transfers that have yielded a slot once.
    private var keepers: Set<TransferID> = []
    /// Digests of bytes on disk, for transfers waiting for their next attempt.
    private var digests: [TransferID: RunningDigest] = [:]
    /// Recent file sizes by origin.
    private var sizes: [String: RecentSizes] = [:]
    /// How many small files of an origin are transferred at a time. Only origins with tiny files have an entry.
    private var growth: [String: SmallFileGrowth] = [:]
    /// How many requests a server takes at a time on one connection. Only servers that speak HTTP/2 have an entry.
    private var places: [String: Int] = [:]

    // MARK: Lifecycle of an attempt

    /// Gives a transfer a slot.
    ///
    /// - Parameter onlyEnds: Whether its outcome is to be stored without a request. It then takes no slot from others.
    /// - Returns: False if it already has one: two attempts would write to the same file.
    mutating func start(_ id: TransferID, _ key: QueueKey, onlyEnds: Bool = false) -> Bool {
        guard slots[id] == nil else { return false }
        slots[id] = Slot(key: key, use: onlyEnds ? .end : .connection, isKept: keepers.remove(id) != nil)
        return true
    }

    /// Whether a transfer's outcome is to be stored without a request.
    package func onlyEnds(_ id: TransferID) -> Bool { slots[id]?.use == .end }

    /// Records that an attempt has a run.
    ///
    /// - Returns: The request to apply to the run, or `nil` if it has not changed since the transfer got its slot.
    mutating func begin(_ id: TransferID, _ record: TransferRecord) -> TransferRequest? {
        guard slots[id] != nil else { return nil }
        digests[id] = nil
        records[id] = record
        guard let changed = changes[id] else { return nil }
        records[id]?.request = changed
        return changed
    }

    /// Stores the facts that a run has recorded.
    mutating func take(_ facts: TransferFacts, of id: TransferID) { records[id]?.facts = facts }

    /// Applies a changed request to an attempt and the one after it.
    mutating func follow(_ id: TransferID, _ request: TransferRequest) {
        guard slots[id] != nil else { return }
        slots[id]?.key.priority = request.timing.priority
        records[id]?.request = request
        changes[id] = request
    }

    mutating func changeKey(of id: TransferID, to key: QueueKey) { slots[id]?.key = key }

    /// Records that all bytes of a transfer were received, so it needs no connection.
    mutating func becameWhole(_ id: TransferID, inMemory: Bool) {
        slots[id]?.use = inMemory ? .placeTogether : .place
        // Already here, so that the next transfers of the origin know of it.
        guard inMemory, let slot = slots[id], !slot.isSizeKnown else { return }
        slots[id]?.isSizeKnown = true
        sizes[slot.key.origin, default: RecentSizes()].add(RecentSizes.tiny)
    }

    /// Whether all bytes of a transfer were received and its file is being placed.
    package func isWhole(_ id: TransferID) -> Bool {
        slots[id].map { $0.use == .place || $0.use == .placeTogether } ?? false
    }

    /// The phase of a transfer's attempt. Nil without one.
    package func phase(of id: TransferID) -> AttemptPhase? {
        guard contains(id) else { return nil }
        return isWhole(id) ? .placing : .receiving
    }

    /// Ends an attempt and frees its slot.
    ///
    /// - Parameter next: The next attempt according to its report.
    /// - Returns: The next attempt if it is still wanted, and whether an action returned before this end.
    mutating func end(_ id: TransferID, _ next: NextAttempt?) -> (next: NextAttempt?, wasAbandoned: Bool) {
        records[id] = nil
        let changed = changes.removeValue(forKey: id)
        guard let disposition = slots.removeValue(forKey: id)?.disposition else { return (nil, false) }
        guard let next, disposition < .stops else { return (nil, disposition == .isAbandoned) }
        return (changed.map(next.following) ?? next, false)
    }

    // MARK: Stopping

    /// Marks attempts to stop, with no other to follow.
    ///
    /// - Returns: The transfers that have a slot.
    @discardableResult
    mutating func stop(_ ids: some Sequence<TransferID>) -> [TransferID] {
        let running = ids.filter { slots[$0] != nil }
        for id in running { move(id, to: .stops) }
        return running
    }

    /// Marks stopping attempts as abandoned: actions return although they have not ended.
    mutating func leave(_ ids: some Sequence<TransferID>) {
        for id in ids where slots[id]?.disposition == .stops { move(id, to: .isAbandoned) }
    }

    private mutating func move(_ id: TransferID, to disposition: Disposition) {
        guard let old = slots[id]?.disposition, old < disposition else { return }
        slots[id]?.disposition = disposition
    }

    /// Requeues a session's last running transfers, as many as exceed its limits.
    ///
    /// - Parameter rank: Returns a transfer's position in the session's order, or `Int.max` if it has none.
    /// - Returns: The transfers whose runs are to stop, the last first.
    mutating func giveExcessBack(
        of session: SessionID, _ settings: SessionSettings, rank: (TransferID) -> Int
    ) -> [TransferID] {
        let total = settings.activeTransfers ?? .max
        let each = settings.hostConnections ?? .max
        let running = slots.filter {
            $0.value.key.session == session && $0.value.disposition == .continues && $0.value.use != .end
        }
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

    // MARK: Slow name resolution

    /// Yields the slot while the host name is being resolved.
    mutating func waitsForName(_ id: TransferID) {
        guard let slot = slots[id], slot.use == .connection, !slot.isKept else { return }
        slots[id]?.use = .name
    }

    /// Records that a transfer does not wait for name resolution.
    mutating func waitsForNoName(_ id: TransferID) {
        if slots[id]?.use == .name { slots[id]?.use = .connection }
    }

    /// Takes back the slot that a transfer yielded. If none is free, the transfer is requeued.
    ///
    /// A transfer yields only once: otherwise others would overtake it again and again.
    /// - Parameter rules: The limits without any running transfer.
    /// - Returns: Whether its run is to stop.
    mutating func takeSlotBack(_ id: TransferID, under rules: SlotLimits) -> Bool {
        waitsForNoName(id)
        guard let slot = slots[id], slot.disposition == .continues, !slot.isKept else { return false }
        guard limits(under: rules, without: id).obstacle(slot.key) != nil else { return false }
        move(id, to: .yieldsSlot)
        keepers.insert(id)
        return true
    }

    /// Transfers that yielded their slots while their host names are resolved.
    package var waitingForNames: [TransferID] { slots.filter { $0.value.use == .name }.map(\.key) }

    // MARK: Limits

    /// Maximum number of transfers without a slot while their host names are resolved.
    private static let mostUnnamed = 64

    /// Maximum number of small files in memory, waiting to be placed together without a slot.
    private static let mostPlacedTogether = 128

    /// Returns the capacity left by the running transfers.
    ///
    /// - Parameters:
    ///   - rules: The limits without any running transfer.
    ///   - own: A transfer not to count.
    package func limits(under rules: SlotLimits, without own: TransferID? = nil) -> SlotLimits {
        var limits = rules.allowing(smallFiles: smallFiles)
        var together = 0
        var unnamed = 0
        for (id, slot) in slots where id != own {
            switch slot.use {
            case .end: break
            case .name where unnamed < Self.mostUnnamed: unnamed += 1
            // Placing more files together makes each cheaper. Meanwhile other transfers use the connections.
            case .placeTogether
            where together < Self.mostPlacedTogether && !rules.limitsTransfers(of: slot.key.session):
                together += 1
            case .place, .placeTogether: limits.takeSlot(slot.key)
            case .connection, .name: limits.add(slot.key)
            }
        }
        return limits
    }

    // MARK: State kept for the next attempt

    /// Keeps the digest of the bytes on disk for the next attempt. `nil` discards the kept one.
    mutating func keep(_ digest: RunningDigest?, of id: TransferID) { digests[id] = digest }

    /// Returns the digest left by the last attempt. The next one removes it when it begins.
    package func digest(of id: TransferID) -> RunningDigest? { digests[id] }

    /// Discards values kept for the next attempt of a finished transfer.
    mutating func forget(_ id: TransferID) {
        digests[id] = nil
        keepers.remove(id)
    }

    /// Maximum number of origins with remembered sizes.
    private static let mostOrigins = 10_000

    /// Records files of an origin that were received.
    ///
    /// - Parameter isBusy: Whether other transfers of the origin wait.
    mutating func filesEnded(
        _ received: [(id: TransferID, size: Int64)], of origin: String, isBusy: Bool, _ settings: ServiceSettings,
        at now: ContinuousClock.Instant
    ) {
        if sizes.count >= Self.mostOrigins { (sizes, growth, places) = ([:], [:], [:]) }
        for (id, size) in received where slots[id]?.isSizeKnown != true {
            sizes[origin, default: RecentSizes()].add(size)
        }
        guard hasTinyFiles(origin) else {
            growth[origin] = nil
            return
        }
        let most = places[origin] ?? SmallFileGrowth.mostConnections
        let limit = max(settings.connectionsPerHost, min(most, settings.smallFilesPerHost))
        growth[origin, default: SmallFileGrowth(base: settings.connectionsPerHost)]
            .filesEnded(received.count, isBusy: isBusy, limit: limit, at: now)
    }

    /// Records how many requests a server takes at a time on one connection: 1 over HTTP/1.1.
    mutating func note(places most: Int, of origin: String) { places[origin] = most > 1 ? most : nil }

    /// Returns how many requests a server takes at a time on one connection, as far as known.
    package func places(of origin: String) -> Int { places[origin] ?? 1 }

    /// Records that a server refused a request or a connection because it is busy.
    mutating func refused(by origin: String, at now: ContinuousClock.Instant) { growth[origin]?.refused(at: now) }

    /// Forgets what was learned about small files at a time, because the limits have changed.
    mutating func limitsChanged() { growth = [:] }

    /// How many small files of an origin are transferred at a time, for origins that have nothing else.
    package var smallFiles: [String: Int] { growth.mapValues(\.target) }

    /// Whether an origin has many small files in sequence, so that a single HTTP/2 connection pays off.
    ///
    /// See docs/behaviour/transfers.md#Q8.
    /// - Parameter waiting: Number of transfers queued for the origin.
    package func hasManySmallFiles(_ origin: String, waiting: Int) -> Bool {
        guard sizes[origin]?.areSmall == true else { return false }
        return slots.values.count { $0.key.origin == origin } + waiting >= 8
    }

    /// Whether the recent files of an origin fit in memory.
    package func hasTinyFiles(_ origin: String) -> Bool { sizes[origin]?.areTiny == true }

    // MARK: Questions

    package var isEmpty: Bool { slots.isEmpty }

    /// The transfers with a slot.
    package var ids: [TransferID] { Array(slots.keys) }

    /// Returns a session's transfers with a slot.
    package func ids(of session: SessionID) -> [TransferID] {
        slots.filter { $0.value.key.session == session }.map(\.key)
    }

    package func contains(_ id: TransferID) -> Bool { slots[id] != nil }

    /// Returns the disposition of a transfer's attempt, or `nil` if it has no slot.
    package func disposition(of id: TransferID) -> Disposition? { slots[id]?.disposition }

    /// Whether a transfer must not start an attempt: it is to stop, or has no slot.
    package func isStopping(_ id: TransferID) -> Bool { slots[id].map { $0.disposition >= .stops } ?? true }

    package func key(of id: TransferID) -> QueueKey? { slots[id]?.key }

    /// Whether a transfer has a run.
    package func hasRun(_ id: TransferID) -> Bool { records[id] != nil }

    /// Returns the record of a transfer that has a run.
    package func record(of id: TransferID) -> TransferRecord? { records[id] }

    /// The transfers with a run.
    package var withRun: Set<TransferID> { Set(records.keys) }

    /// Returns a session's transfers with a run. `nil` is all sessions.
    package func withRun(of session: SessionID?) -> Set<TransferID> {
        guard let session else { return withRun }
        return Set(records.keys.filter { slots[$0]?.key.session == session })
    }

    /// Returns the number of a session's transfers with a run. `nil` is all sessions.
    package func countWithRun(of session: SessionID? = nil) -> Int {
        guard let session else { return records.count }
        return records.keys.count { slots[$0]?.key.session == session }
    }

    /// Whether a discretionary transfer has a slot.
    package var hasDiscretionary: Bool { slots.values.contains { $0.key.network.isDiscretionary } }
}

/// Recent file sizes of an origin. HTTP/2's single connection pays off for many small files.
private struct RecentSizes: Sendable {
    private static let count = 8
    private static let small: Int64 = 4 << 20
    static let tiny: Int64 = 64 << 10
    private var sizes: [Int64] = []

    mutating func add(_ size: Int64) {
        sizes.append(size)
        if sizes.count > Self.count { sizes.removeFirst() }
    }

    package var areSmall: Bool { are(atMost: Self.small) }

    package var areTiny: Bool { are(atMost: Self.tiny) }

    private func are(atMost size: Int64) -> Bool { sizes.count == Self.count && sizes.allSatisfy { $0 <= size } }
}
