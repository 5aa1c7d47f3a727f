import FerryCore
import FerryRules
import FerryFoundation

/// Queues.
extension MemoryTransaction {
    private static var phases: Set<JournalPhase> { [.pending, .suspended] }

    func waiting(
        _ filter: WaitingFilter, with priority: Priority, limit: Int
    ) throws(ServiceError) -> [TransferID] {
        guard limit > 0 else { return [] }
        return rows.ids(of: filter.session, in: Self.phases, limit: limit, newestFirst: filter.reversed) { id in
            rows[id]?.record.request.timing.priority == priority && !filter.excluding.contains(id)
        }
    }

    func waitingPriorities(
        of ids: [TransferID], _ filter: WaitingFilter
    ) throws(ServiceError) -> [TransferID: Priority] {
        var found: [TransferID: Priority] = [:]
        for id in ids where !filter.excluding.contains(id) {
            guard let row = rows[id], Self.phases.contains(row.phase),
                filter.session == nil || filter.session == row.session
            else { continue }
            found[id] = row.record.request.timing.priority
        }
        return found
    }

    func unusualPriorities(of session: SessionID?) throws(ServiceError) -> [Priority] {
        let all = Set(rows.ids(of: session, in: Self.phases).compactMap { rows[$0]?.record.request.timing.priority })
        return all.filter { $0 != .normal }
    }

    func ended(
        of session: SessionID?, offset: Int, limit: Int, reversed: Bool
    ) throws(ServiceError) -> [TransferID] {
        let all = rows.ids(of: session, in: JournalPhase.ended).map { id in
            (end: rows[id]?.record.finishedAt ?? .distantPast, id: id)
        }
        let sorted = all.sorted { reversed ? $0 > $1 : $0 < $1 }
        return sorted.dropFirst(offset).prefix(max(0, limit)).map(\.id)
    }
}
