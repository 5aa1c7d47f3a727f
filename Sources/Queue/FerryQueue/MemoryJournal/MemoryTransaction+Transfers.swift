import FerryCore
import FerryRules
import FerryFoundation

/// Reading rows.
extension MemoryTransaction {
    func record(_ id: TransferID) throws(ServiceError) -> TransferRecord? { rows[id]?.record }

    func records(_ ids: [TransferID]) throws(ServiceError) -> [TransferRecord] {
        ids.compactMap { rows[$0]?.record }
    }

    var lastTransferID: TransferID? { rows.lastID }

    func ids(of filter: JournalFilter) throws(ServiceError) -> [TransferID] {
        guard filter.limit > 0, filter.only?.isEmpty != true else { return [] }
        let phases = filter.phases.isEmpty ? Set(JournalPhase.allCases) : filter.phases
        guard filter.tag != nil || filter.tagPrefix != nil || filter.only != nil else {
            return rows.ids(
                of: filter.session, in: phases, after: filter.after, limit: filter.limit,
                newestFirst: filter.newestFirst
            ) { !filter.excluding.contains($0) }
        }
        var ids =
            (filter.tag.map(rows.ids(tagged:)) ?? filter.tagPrefix.map(rows.ids(taggedWithPrefix:))) ?? filter.only?
            .sorted() ?? []
        ids.removeAll { id in
            guard let row = rows[id],
                filter.tagPrefix.map({ prefix in row.record.request.tags.contains { $0.hasPrefix(prefix) } }) != false,
                phases.contains(row.phase), !filter.excluding.contains(id),
                filter.only?.contains(id) != false, filter.session == nil || filter.session == row.session
            else { return true }
            guard let last = filter.after else { return false }
            return filter.newestFirst ? id >= last : id <= last
        }
        if filter.newestFirst { ids.reverse() }
        return Array(ids.prefix(filter.limit))
    }

    func listing(_ ids: [TransferID]) throws(ServiceError) -> [ListedTransfer] {
        ids.compactMap { id in rows[id].map { ListedTransfer(record: $0.record, origin: $0.origin) } }
    }

    func transfers(
        of session: SessionID, among ids: [TransferID]?, in phase: JournalPhase?
    ) throws(ServiceError) -> [TransferID] {
        guard let ids else {
            return rows.ids(of: session, in: phase.map { [$0] } ?? Set(JournalPhase.allCases))
        }
        return Set(ids).filter { id in
            guard let row = rows[id], row.session == session else { return false }
            return phase == nil || row.phase == phase
        }
        .sorted()
    }

    func transfers(of session: SessionID, within runs: TransferIDRuns?) throws(ServiceError) -> [TransferID] {
        let own = try transfers(of: session, among: nil)
        return runs.map { $0.selected(from: own).sorted() } ?? own
    }

    func counts(session: SessionID?) throws(ServiceError) -> [JournalPhase: Int] {
        let counts = rows.counts
        if let session { return counts[session] ?? [:] }
        return counts.values.reduce(into: [:]) { sum, counts in sum.merge(counts, uniquingKeysWith: +) }
    }

    func destinationHolder(_ path: String) throws(ServiceError) -> TransferID? { rows.holder(of: path) }

    func lastPlaced(at path: String) throws(ServiceError) -> TransferRecord? {
        rows.lastPlaced(at: path).flatMap { rows[$0]?.record }
    }

    // MARK: Waiting transfers

    func forEachPending(_ selection: PendingSelection, _ body: (PendingTransfer) -> Void) throws(ServiceError) {
        let ids =
            switch selection {
            case .all: rows.ids(of: nil, in: [.pending])
            case .among(let ids): Set(ids).filter { rows[$0]?.phase == .pending }.sorted()
            case .session(let session): rows.ids(of: session, in: [.pending])
            case .timed: rows.timedIDs
            }
        for id in ids { if let row = rows[id] { body(PendingTransfer(row)) } }
    }

    func lines() throws(ServiceError) -> (lines: [StoredQueueKey], unreadable: [TransferID]) { (rows.lines, []) }

    func ids(
        in line: StoredQueueKey, after: TransferID?, through last: TransferID, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        rows.ids(in: line, after: after, through: last, limit: limit)
    }

    func due(
        after last: DueTransfer?, from start: Date?, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer] {
        rows.due(after: last, from: start, through: end, limit: limit)
    }

    // MARK: Unfinished work

    func unfinishedCleanups() throws(ServiceError) -> [TransferRecord] {
        try records(Set(rows.leftIDs + rows.ids(of: nil, in: [.canceling])).sorted())
    }

    func unfinishedNames() throws(ServiceError) -> [TransferRecord] {
        try records(rows.leftIDs.filter { rows[$0]?.phase == .succeeded })
    }

    func spooledTransfers(endedBefore moment: Date) throws(ServiceError) -> [TransferID] {
        rows.ids(of: nil, in: JournalPhase.ended).filter { id in
            guard let record = rows[id]?.record, let end = record.finishedAt else { return false }
            return record.request.file.spooled && end < moment
        }
    }

    func remains(of ids: [TransferID]?) throws(ServiceError) -> [Remains] {
        guard let ids else {
            let canceling = try records(rows.ids(of: nil, in: [.canceling]))
            return canceling.filter(\.intent.isRemoval).map { Remains($0) }
        }
        return try records(Set(ids).sorted()).map { Remains($0) }
    }

    func hasPending(_ session: SessionID, besides count: Int) throws(ServiceError) -> Bool {
        rows.count(of: session, in: .pending) > count
    }

    func hasEnded(_ session: SessionID, after moment: Date?) throws(ServiceError) -> Bool {
        let found = rows.ids(of: session, in: JournalPhase.ended, limit: 1, newestFirst: true) { id in
            guard let end = rows[id]?.record.finishedAt else { return false }
            return moment.map { end > $0 } ?? true
        }
        return !found.isEmpty
    }
}
