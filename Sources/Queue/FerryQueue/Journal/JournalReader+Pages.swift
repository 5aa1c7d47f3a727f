package import FerryCore
package import FerryFoundation
package import FerryRules

/// Queries built on the requirements that each journal implements.
extension JournalReader {
    /// One page of a list. See ``ids(of:)``.
    package func page(_ filter: JournalFilter) throws(ServiceError) -> [TransferRecord] {
        try records(try ids(of: filter))
    }

    /// One page of a list, with only the displayed properties. See ``ids(of:)``.
    package func listing(_ filter: JournalFilter) throws(ServiceError) -> [ListedTransfer] {
        try listing(try ids(of: filter))
    }

    /// One page of a part of the queue.
    ///
    /// - Parameter active: The active transfers, at least those of the query's session.
    package func ids(of query: QueueQuery, active: Set<TransferID>) throws(ServiceError) -> [TransferID] {
        let end = query.offset.addingSaturated(query.limit)
        switch query.part {
        case .active:
            var filter = JournalFilter()
            filter.session = query.session
            filter.phases = [.pending]
            filter.only = active
            filter.limit = end
            filter.newestFirst = query.reversed
            return Array(try ids(of: filter).dropFirst(query.offset))
        case .waiting:
            var line = try WaitingOrder(
                of: query.session, excluding: active, reversed: query.reversed, in: self)
            return Array(try line.ids(limit: end).dropFirst(query.offset))
        case .ended: return try ended(query)
        }
    }

    /// Transfers being canceled are not finished yet. They follow all finished ones.
    private func ended(_ query: QueueQuery) throws(ServiceError) -> [TransferID] {
        var filter = JournalFilter()
        filter.session = query.session
        filter.phases = [.canceling]
        filter.limit = .max
        filter.newestFirst = query.reversed
        let canceling = try ids(of: filter)
        guard query.reversed else {
            let ended = try ended(of: query.session, offset: query.offset, limit: query.limit, reversed: false)
            guard ended.count < query.limit, !canceling.isEmpty else { return ended }
            let counts = try counts(session: query.session)
            let before = JournalPhase.ended.reduce(0) { $0 + (counts[$1] ?? 0) }
            return ended + canceling.dropFirst(max(0, query.offset - before)).prefix(query.limit - ended.count)
        }
        let first = canceling.dropFirst(query.offset).prefix(query.limit)
        let offset = max(0, query.offset - canceling.count)
        return Array(first)
            + (try ended(of: query.session, offset: offset, limit: query.limit - first.count, reversed: true))
    }

    /// The ids of a session's transfers in order of submission: all, or those among `ids`.
    package func transfers(of session: SessionID, among ids: [TransferID]?) throws(ServiceError) -> [TransferID] {
        try transfers(of: session, among: ids, in: nil)
    }

    /// The ids of a session's transfers in a phase, oldest first.
    package func ids(of session: SessionID, in phase: JournalPhase) throws(ServiceError) -> [TransferID] {
        try transfers(of: session, among: nil, in: phase)
    }

    /// The succeeded transfers of a session among `ids`, in order of submission.
    package func succeeded(of session: SessionID, among ids: [TransferID]) throws(ServiceError) -> [TransferRecord] {
        try records(try transfers(of: session, among: ids, in: .succeeded))
    }

    /// The pending transfers among `ids`, oldest first.
    package func pending(_ ids: [TransferID]) throws(ServiceError) -> [PendingTransfer] {
        var pending: [PendingTransfer] = []
        pending.reserveCapacity(ids.count)
        try forEachPending(.among(ids)) { pending.append($0) }
        return pending
    }

    /// The pending transfers of a session, oldest first.
    package func pending(of session: SessionID) throws(ServiceError) -> [PendingTransfer] {
        var pending: [PendingTransfer] = []
        try forEachPending(.session(session)) { pending.append($0) }
        return pending
    }

    /// The paths among `paths` that live transfers have reserved.
    package func held(_ paths: [String]) throws(ServiceError) -> Set<String> {
        var held: Set<String> = []
        for path in paths where try destinationHolder(path) != nil { held.insert(path) }
        return held
    }

    package func counts() throws(ServiceError) -> [JournalPhase: Int] { try counts(session: nil) }

    package func due(
        after last: DueTransfer? = nil, through end: Date, limit: Int
    ) throws(ServiceError) -> [DueTransfer] {
        try due(after: last, from: nil, through: end, limit: limit)
    }

    package func hasEnded(_ session: SessionID) throws(ServiceError) -> Bool { try hasEnded(session, after: nil) }

    package func events(
        after number: Int64, session: SessionID? = nil, ids: Set<TransferID>? = nil, limit: Int
    ) throws(ServiceError) -> [TransferEvent] {
        try events(after: number, session: session, ids: ids, kinds: nil, limit: limit)
    }

    /// The full durable events after a number, up to another.
    package func page(
        after number: Int64, through end: Int64, session: SessionID?, ids: Set<TransferID>?,
        kinds: [TransferEvent.Kind]? = nil
    ) throws(ServiceError) -> EventPage {
        // Event numbers are unique.
        let limit = Int(min(Int64(EventPage.wholeEvents), max(0, end - max(0, number))))
        let events = try events(after: number, session: session, ids: ids, kinds: kinds, limit: limit)
            .prefix { $0.number ?? end <= end }
        return EventPage(
            signals: events.map(SessionSignal.event), through: events.last?.number, isLast: events.count < limit)
    }

    /// The durable events of a session after a number, up to another: completions in full, others as heads.
    package func briefPage(
        after number: Int64, through end: Int64, session: SessionID
    ) throws(ServiceError) -> EventPage {
        let heads = try eventHeads(after: number, session: session, limit: EventPage.briefEvents)
            .prefix { $0.number <= end }
        var signals: [SessionSignal] = []
        var batch: EventBatch?
        var through: Int64?
        var whole = 0
        var used = 0
        for head in heads {
            if head.kind.isBrief {
                if batch?.kind != head.kind {
                    if let batch { signals.append(.batch(batch)) }
                    batch = EventBatch(kind: head.kind, through: head.number, ids: [])
                }
                batch?.ids.append(head.id)
                batch?.through = head.number
            } else {
                guard whole < EventPage.wholeEvents else { break }
                whole += 1
                if let last = batch { signals.append(.batch(last)) }
                batch = nil
                let event = try events(after: head.number - 1, session: session, ids: [head.id], limit: 1)
                signals += event.map(SessionSignal.event)
            }
            used += 1
            through = head.number
        }
        if let batch { signals.append(.batch(batch)) }
        return EventPage(
            signals: signals, through: through, isLast: used == heads.count && heads.count < EventPage.briefEvents)
    }
}

/// Selects the transfers of a page. All conditions must hold.
package struct JournalFilter: Sendable {
    package var session: SessionID?
    /// Any of these. Empty means all.
    package var phases: Set<JournalPhase> = []
    package var tag: String?
    /// Prefix of a tag. A transfer with several matching tags may appear several times.
    package var tagPrefix: String?
    /// Only transfers after this one in page order.
    package var after: TransferID?
    package var limit = 100
    package var newestFirst = false
    package var excluding: Set<TransferID> = []
    /// Only these. Nil means all.
    package var only: Set<TransferID>?

    package init() {}
}

/// The displayed properties of a transfer, and the properties that determine its wait reason.
package struct ListedTransfer: Sendable {
    /// Without failures, credentials and active time.
    package let record: TransferRecord
    /// Scheme, host and port of the URL, or the URL itself if it has none.
    package let origin: String

    package init(record: TransferRecord, origin: String) {
        self.record = record
        self.origin = origin
    }
}
