import FerryCore
import FerryQueue
import FerryRules
import Foundation

/// Answers questions about transfers, sessions and the service.
actor Queries {
    private let queue: LiveQueue
    private let journal: any Journal
    private let life: ServiceLife
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, journal: any Journal, life: ServiceLife) {
        self.queue = queue
        self.journal = journal
        self.life = life
    }

    func transfer(_ id: TransferID) async throws(ServiceError) -> Transfer {
        let wasLive = queue.running.contains(id)
        let record = try await journal.existing(id)
        // A run that ended while the journal was read has recorded more since.
        return queue.shown(wasLive && !queue.running.contains(id) ? try await journal.existing(id) : record)
    }

    func request(of id: TransferID) async throws(ServiceError) -> ShownRequest {
        let record = try await journal.existing(id)
        return ShownRequest(record.request, hasCredentials: record.credentials != nil)
    }

    func transfers(_ query: TransferQuery) async throws(ServiceError) -> TransferPage {
        guard (1...1000).contains(query.limit) else {
            throw ServiceError(.invalidRequest, "limit is 1 to 1000, not \(query.limit).")
        }
        let filters = Self.filters(query, running: queue.running.withRun)
        let newestFirst = query.newestFirst
        let listed = try await journal.read { reader throws(ServiceError) in
            var listed: [ListedTransfer] = []
            for filter in filters { listed += try reader.listing(filter) }
            guard filters.count > 1 else { return listed }
            return listed.sorted { newestFirst ? $0.record.id > $1.record.id : $0.record.id < $1.record.id }
        }
        let states = Set(query.states)
        let transfers = queue.shown(Array(listed.prefix(query.limit))).filter {
            states.isEmpty || states.contains($0.state)
        }
        return TransferPage(
            transfers: transfers, next: listed.count > query.limit ? listed[query.limit - 1].record.id : nil)
    }

    // MARK: Parts of the queue

    func part(_ query: QueueQuery) async throws(ServiceError) -> [Transfer] {
        try query.validate()
        let active = queue.active(of: query.session)
        let listed = try await journal.read { reader throws(ServiceError) in
            try reader.listing(try reader.ids(of: query, active: active))
        }
        return queue.shown(listed)
    }

    func queueCounts(of session: SessionID?) async throws(ServiceError) -> QueueCounts {
        let active = queue.active(of: session)
        return try await journal.read { reader throws(ServiceError) in
            var filter = JournalFilter()
            filter.session = session
            filter.phases = [.pending]
            filter.only = active
            filter.limit = active.count
            let running = try reader.ids(of: filter).count
            let counts = try reader.counts(session: session)
            func count(_ phases: JournalPhase...) -> Int { phases.reduce(0) { $0 + (counts[$1] ?? 0) } }
            return QueueCounts(
                active: running, waiting: count(.pending, .suspended) - running,
                ended: count(.canceling, .succeeded, .failed, .canceled))
        }
    }

    /// Returns the journal lists to merge for a query's page.
    private static func filters(_ query: TransferQuery, running: Set<TransferID>) -> [JournalFilter] {
        var filter = JournalFilter()
        filter.session = query.session
        filter.tag = query.tag
        filter.tagPrefix = query.tagPrefix
        filter.after = query.after
        filter.limit = query.limit + 1
        filter.newestFirst = query.newestFirst
        let states = Set(query.states)
        if states.isEmpty { return [filter] }
        filter.phases = Set(states.flatMap(phases))
        if filter.phases.isEmpty { return [] }
        // Waiting and running are one phase in the journal: only live state distinguishes them.
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

    func status() async throws(ServiceError) -> ServiceStatus {
        let (counts, lastEvent) = try await journal.read { reader throws(ServiceError) in
            (try reader.counts(session: nil), try reader.lastEventNumber)
        }
        return ServiceStatus(
            version: FerryVersion.current, pid: getpid(), startedAt: life.startedAt,
            transfers: shownCounts(counts, running: queue.running.countWithRun()),
            lastEvent: lastEvent, warnings: life.warnings)
    }

    func sessions() async throws(ServiceError) -> [SessionInfo] {
        let found = try await journal.read { reader throws(ServiceError) in
            try reader.sessions().map { FoundSession(id: $0.id, settings: $0.settings, counts: $0.counts) }
        }
        return found.map { session in
            SessionInfo(
                id: session.id, settings: session.settings,
                transfers: shownCounts(session.counts, running: queue.running.countWithRun(of: session.id)))
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
