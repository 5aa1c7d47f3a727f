import FerryCore
import FerryRules
import FerryFoundation

/// The transfers of an in-memory journal, with their indexes.
///
/// All changes go through ``set(_:of:)``, which maintains the indexes and the undo log.
struct MemoryTransfers: Sendable {
    /// A transfer's deadline. Equal deadlines are ordered by id.
    private struct Due: Comparable {
        let at: Date
        let id: TransferID

        static func < (left: Due, right: Due) -> Bool { (left.at, left.id) < (right.at, right.id) }
    }

    private var rows: [TransferID: MemoryRow] = [:]
    /// The largest id ever used.
    private(set) var lastID: TransferID?
    private var phases: [SessionID: [JournalPhase: SortedList<TransferID>]] = [:]
    private var tags: [String: SortedList<TransferID>] = [:]
    private var waiting: [StoredQueueKey: SortedList<TransferID>] = [:]
    private var timed = SortedList<TransferID>()
    private var dues = SortedList<Due>()
    /// Live transfers by reserved path.
    private var holders: [String: TransferID] = [:]
    private var placed: [String: SortedList<TransferID>] = [:]
    /// Transfers with unfinished cleanup.
    private var left = SortedList<TransferID>()
    private var secrets = SortedList<TransferID>()
    /// Undo log since ``begin()``, latest change last.
    private var undo: [(id: TransferID, row: MemoryRow?)] = []
    private var lastIDBefore: TransferID?

    // MARK: Changes

    /// Starts the undo log.
    mutating func begin() {
        undo.removeAll(keepingCapacity: true)
        lastIDBefore = lastID
    }

    /// Reverts all changes since ``begin()``.
    mutating func rollBack() {
        for (id, row) in undo.reversed() { replace(rows[id], by: row, of: id) }
        undo.removeAll()
        lastID = lastIDBefore
    }

    /// Sets or removes a row.
    mutating func set(_ row: MemoryRow?, of id: TransferID) {
        let old = rows[id]
        undo.append((id, old))
        replace(old, by: row, of: id)
        if row != nil { lastID = max(lastID ?? id, id) }
    }

    private mutating func replace(_ old: MemoryRow?, by new: MemoryRow?, of id: TransferID) {
        rows[id] = new
        if old?.phase != new?.phase || old?.session != new?.session {
            if let old { Self.remove(id, from: &phases[old.session, default: [:]], old.phase) }
            if let old, phases[old.session]?.isEmpty == true { phases[old.session] = nil }
            if let new { phases[new.session, default: [:]][new.phase, default: SortedList()].insert(id) }
        }
        if old?.record.request.tags != new?.record.request.tags {
            for tag in old?.record.request.tags ?? [] { Self.remove(id, from: &tags, tag) }
            for tag in new?.record.request.tags ?? [] { tags[tag, default: SortedList()].insert(id) }
        }
        if old?.line != new?.line {
            if let line = old?.line { Self.remove(id, from: &waiting, line) }
            if let line = new?.line { waiting[line, default: SortedList()].insert(id) }
        }
        if old?.due != new?.due {
            if let due = old?.due { dues.remove(Due(at: due, id: id)) }
            if let due = new?.due { dues.insert(Due(at: due, id: id)) }
        }
        if old?.destination != new?.destination {
            if let path = old?.destination, holders[path] == id { holders[path] = nil }
            if let path = new?.destination { holders[path] = id }
        }
        if old?.placed != new?.placed {
            if let path = old?.placed { Self.remove(id, from: &placed, path) }
            if let path = new?.placed { placed[path, default: SortedList()].insert(id) }
        }
        Self.move(id, in: &timed, from: old?.isTimed, to: new?.isTimed)
        Self.move(id, in: &left, from: old?.leavesWork, to: new?.leavesWork)
        Self.move(id, in: &secrets, from: old?.hasOldSecrets, to: new?.hasOldSecrets)
    }

    private static func remove<Key: Hashable>(
        _ id: TransferID, from lists: inout [Key: SortedList<TransferID>], _ key: Key
    ) {
        lists[key]?.remove(id)
        if lists[key]?.isEmpty == true { lists[key] = nil }
    }

    private static func move(
        _ id: TransferID, in list: inout SortedList<TransferID>, from old: Bool?, to new: Bool?
    ) {
        switch (old ?? false, new ?? false) {
        case (true, false): list.remove(id)
        case (false, true): list.insert(id)
        default: break
        }
    }

    // MARK: Rows

    subscript(_ id: TransferID) -> MemoryRow? { rows[id] }

    func holder(of path: String) -> TransferID? { holders[path] }
    func lastPlaced(at path: String) -> TransferID? { placed[path]?.last }

    /// Number of transfers per session and phase.
    var counts: [SessionID: [JournalPhase: Int]] { phases.mapValues { $0.mapValues(\.count) } }

    func count(of session: SessionID, in phase: JournalPhase) -> Int { phases[session]?[phase]?.count ?? 0 }

    // MARK: Lists

    /// Returns transfers in the given phases, in order.
    ///
    /// - Parameters:
    ///   - session: The session, or `nil` for all.
    ///   - only: Whether to include a transfer. Called in order, until there are enough.
    func ids(
        of session: SessionID?, in phases: Set<JournalPhase>, after last: TransferID? = nil, limit: Int = .max,
        newestFirst: Bool = false, where only: (TransferID) -> Bool = { _ in true }
    ) -> [TransferID] {
        let sessions = session.map { [self.phases[$0] ?? [:]] } ?? Array(self.phases.values)
        var found: [TransferID] = []
        var lists = 0
        for session in sessions {
            for (phase, list) in session where phases.contains(phase) {
                lists += 1
                var count = 0
                let take: (TransferID) -> Bool = { id in
                    guard only(id) else { return true }
                    found.append(id)
                    count += 1
                    return count < limit
                }
                if newestFirst { list.forEachReversed(before: last, take) } else { list.forEach(after: last, take) }
            }
        }
        guard lists > 1 else { return found }
        found.sort { newestFirst ? $0 > $1 : $0 < $1 }
        return found.count > limit ? Array(found.prefix(limit)) : found
    }

    /// Returns the transfers with a tag, in id order.
    func ids(tagged tag: String) -> [TransferID] { Self.all(tags[tag]) }

    /// Returns the transfers with a tag that has this prefix, in id order.
    func ids(taggedWithPrefix prefix: String) -> [TransferID] {
        Set(tags.filter { $0.key.hasPrefix(prefix) }.values.flatMap { Self.all($0) }).sorted()
    }

    var timedIDs: [TransferID] { Self.all(timed) }

    /// Transfers with unfinished cleanup, besides the transfers in ``JournalPhase/canceling``.
    var leftIDs: [TransferID] { Self.all(left) }

    var lines: [StoredQueueKey] { Array(waiting.keys) }

    func ids(in line: StoredQueueKey, after last: TransferID?, through end: TransferID, limit: Int) -> [TransferID] {
        var found: [TransferID] = []
        waiting[line]?.forEach(after: last) { id in
            guard id <= end, found.count < limit else { return false }
            found.append(id)
            return true
        }
        return found
    }

    func due(after last: DueTransfer?, from start: Date?, through end: Date, limit: Int) -> [DueTransfer] {
        var found: [DueTransfer] = []
        // No transfer has the lowest id: it sorts before all transfers with the same deadline.
        let beginning = start.map { Due(at: $0, id: TransferID(rawValue: 0)) }
        dues.forEach(after: last.map { Due(at: $0.due, id: $0.id) } ?? beginning) { due in
            guard due.at <= end, found.count < limit else { return false }
            found.append(DueTransfer(id: due.id, due: due.at))
            return true
        }
        return found
    }

    /// Returns the transfers that finished in a phase and still have secrets, in id order.
    func withSecrets(
        in phase: JournalPhase, endedBefore moment: Date?, after last: TransferID, limit: Int
    ) -> [TransferID] {
        var found: [TransferID] = []
        secrets.forEach(after: last) { id in
            guard let row = rows[id], row.phase == phase else { return true }
            if let moment {
                guard let end = row.record.finishedAt, end < moment else { return true }
            }
            found.append(id)
            return found.count < limit
        }
        return found
    }

    private static func all(_ list: SortedList<TransferID>?) -> [TransferID] {
        var ids: [TransferID] = []
        ids.reserveCapacity(list?.count ?? 0)
        list?.forEach { id in
            ids.append(id)
            return true
        }
        return ids
    }
}
