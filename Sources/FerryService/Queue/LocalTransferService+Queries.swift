// Ferry: FerryService
// What there is.

package import FerryCore
import FerryStore
import Foundation

extension LocalTransferService {
    package func transfer(_ id: TransferID) async throws(TransferError) -> Transfer {
        let wasLive = live[id] != nil
        let record = try await existing(id)
        // A run that has ended while the journal was read has recorded more since.
        return shown(wasLive && live[id] == nil ? try await existing(id) : record)
    }

    package func transfers(_ query: TransferQuery) async throws(TransferError) -> TransferPage {
        guard (1...1000).contains(query.limit) else {
            throw TransferError(.invalidRequest, "limit is 1 to 1000, not \(query.limit).")
        }
        let filters = Self.filters(query, running: Set(live.filter { $0.value.run != nil }.keys))
        let newestFirst = query.newestFirst
        let records = try await noting { () async throws(TransferError) in
            try await journal.read { reader throws(TransferError) in
                var records: [TransferRecord] = []
                for filter in filters { records += try reader.page(filter) }
                return filters.count < 2 ? records : records.sorted { newestFirst ? $0.id > $1.id : $0.id < $1.id }
            }
        }
        let states = Set(query.states)
        let transfers = records.prefix(query.limit).map(shown).filter { states.isEmpty || states.contains($0.state) }
        return TransferPage(
            transfers: transfers, next: records.count > query.limit ? records[query.limit - 1].id : nil)
    }

    /// The lists of the journal that a query's page is merged from.
    private static func filters(_ query: TransferQuery, running: Set<TransferID>) -> [JournalFilter] {
        var filter = JournalFilter()
        filter.session = query.session
        filter.tag = query.tag
        filter.after = query.after
        filter.limit = query.limit + 1
        filter.newestFirst = query.newestFirst
        let states = Set(query.states)
        if states.isEmpty { return [filter] }
        filter.phases = Set(states.flatMap(phases))
        if filter.phases.isEmpty { return [] }
        // Waiting and running are one phase of the journal: only what is live tells them apart.
        switch (states.contains(.waiting), states.contains(.running)) {
        case (true, true), (false, false): return [filter]
        case (true, false):
            filter.excluding = running
            return [filter]
        case (false, true):
            var others = filter
            others.phases.remove(.pending)
            filter.phases = [.pending]
            filter.only = running
            return others.phases.isEmpty ? [filter] : [filter, others]
        }
    }

    private static func phases(_ state: TransferState) -> [JournalPhase] {
        switch state {
        case .waiting, .running: [.pending]
        case .suspended: [.suspended, .canceling]
        case .succeeded: [.succeeded]
        case .failed: [.failed]
        case .canceled: [.canceled]
        case .unknown: []
        }
    }

    /// - Throws: ``TransferError`` with code `unknown_transfer`.
    func existing(_ id: TransferID) async throws(TransferError) -> TransferRecord {
        let record = try await noting { () async throws(TransferError) in
            try await journal.read { reader throws(TransferError) in try reader.record(id) }
        }
        guard let record else { throw TransferError(.unknownTransfer, "There is no transfer \(id).") }
        return record
    }

    package func status() async throws(TransferError) -> ServiceStatus {
        let (counts, lastEvent) = try await noting { () async throws(TransferError) in
            try await journal.read { reader throws(TransferError) in
                (try reader.counts(session: nil), try reader.lastEventNumber)
            }
        }
        return ServiceStatus(
            version: FerryVersion.current, pid: getpid(), startedAt: startedAt,
            transfers: shownCounts(counts, running: live.count { $0.value.run != nil }),
            lastEvent: lastEvent, warnings: warnings)
    }

    package func sessions() async throws(TransferError) -> [SessionInfo] {
        let found = try await noting { () async throws(TransferError) in
            try await journal.read { reader throws(TransferError) in
                try reader.sessions().map { FoundSession(id: $0.id, settings: $0.settings, counts: $0.counts) }
            }
        }
        return found.map { session in
            let running = live.count { $0.value.run != nil && $0.value.key.session == session.id }
            return SessionInfo(
                id: session.id, settings: session.settings, transfers: shownCounts(session.counts, running: running))
        }
    }

    private func shownCounts(_ counts: [JournalPhase: Int], running: Int) -> [String: Int] {
        let pending = counts[.pending] ?? 0
        let shown: [(TransferState, Int)] = [
            (.waiting, max(0, pending - running)), (.running, min(running, pending)),
            (.suspended, (counts[.suspended] ?? 0) + (counts[.canceling] ?? 0)),
            (.succeeded, counts[.succeeded] ?? 0), (.failed, counts[.failed] ?? 0),
            (.canceled, counts[.canceled] ?? 0),
        ]
        return Dictionary(uniqueKeysWithValues: shown.map { ($0.rawValue, $1) })
    }
}

private struct FoundSession: Sendable {
    let id: SessionID
    let settings: SessionSettings
    let counts: [JournalPhase: Int]
}
