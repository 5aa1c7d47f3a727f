package import FerryCore

/// Waiting and suspended transfers in scheduling order.
///
/// Reads about as many index entries as it returns transfers, however long the queue is, plus the ids in the session's
/// order.
package struct WaitingOrder {
    private let reader: any JournalReader
    private let filter: WaitingFilter
    private let order: [TransferID]
    /// The first waiting ids of the session's order, with their priorities. The last ones if reversed.
    private var named: [(id: TransferID, priority: Priority)] = []
    private var inspected = 0

    /// Number of the order's ids read at once.
    private static let window = 256

    /// - Parameters:
    ///   - excluding: Transfers that have left the queue, which the journal does not know.
    package init(
        of session: SessionID?, excluding: Set<TransferID>, reversed: Bool, in reader: any JournalReader
    ) throws(ServiceError) {
        self.reader = reader
        filter = WaitingFilter(session: session, excluding: excluding, reversed: reversed)
        let order = try session.map { session throws(ServiceError) in try reader.order(of: session) } ?? []
        self.order = reversed ? order.reversed() : order
    }

    /// Returns the first transfers, up to `limit`.
    package mutating func ids(limit: Int) throws(ServiceError) -> [TransferID] {
        var ids: [TransferID] = []
        for priority in try priorities() where ids.count < limit {
            ids += try self.ids(with: priority, limit: limit - ids.count)
        }
        return ids
    }

    /// Returns the distinct priorities in scheduling order.
    package func priorities() throws(ServiceError) -> [Priority] {
        let all = try reader.unusualPriorities(of: filter.session) + [.normal]
        return filter.reversed ? all.sorted() : all.sorted(by: >)
    }

    /// Returns the first transfers with a priority, up to `limit`.
    package mutating func ids(with priority: Priority, limit: Int = .max) throws(ServiceError) -> [TransferID] {
        guard limit > 0 else { return [] }
        // Ids in the session's order come first, or last if reversed.
        guard filter.reversed else {
            let named = try namedIDs(with: priority, limit: limit)
            return named + (try otherIDs(with: priority, limit: limit - named.count))
        }
        let others = try otherIDs(with: priority, limit: limit)
        return others + (try namedIDs(with: priority, limit: limit - others.count))
    }

    private func otherIDs(with priority: Priority, limit: Int) throws(ServiceError) -> [TransferID] {
        guard limit > 0 else { return [] }
        var filter = filter
        filter.excluding.formUnion(order)
        return try reader.waiting(filter, with: priority, limit: limit)
    }

    private mutating func namedIDs(with priority: Priority, limit: Int) throws(ServiceError) -> [TransferID] {
        var ids: [TransferID] = []
        var next = 0
        while ids.count < limit {
            if next == named.count {
                guard inspected < order.count else { break }
                let window = order[inspected..<min(order.count, inspected + Self.window)]
                inspected += window.count
                let found = try reader.waitingPriorities(of: Array(window), filter)
                named += window.compactMap { id in found[id].map { (id, $0) } }
                continue
            }
            if named[next].priority == priority { ids.append(named[next].id) }
            next += 1
        }
        return ids
    }
}

/// Selects waiting transfers.
package struct WaitingFilter: Sendable {
    /// Nil means all sessions.
    package var session: SessionID?
    package var excluding: Set<TransferID>
    /// Whether the order is reversed.
    package var reversed: Bool

    package init(session: SessionID?, excluding: Set<TransferID> = [], reversed: Bool = false) {
        self.session = session
        self.excluding = excluding
        self.reversed = reversed
    }
}

extension JournalTransaction {
    /// Moves a waiting transfer within its session's queue, and stores the new order.
    ///
    /// - Parameter excluding: Transfers that have left the queue, which the journal does not know.
    /// - Returns: Its position in the whole queue, and the order if it has changed. Nil if the transfer is not waiting.
    package func move(
        _ id: TransferID, of session: SessionID, to move: QueueMove, excluding: Set<TransferID>
    ) throws(ServiceError) -> (place: Int, order: [TransferID]?)? {
        var line = try WaitingOrder(of: session, excluding: excluding, reversed: false, in: self)
        var own: [TransferID]?
        var (start, count) = (0, 0)
        for priority in try line.priorities() {
            let ids = try line.ids(with: priority)
            if ids.contains(id) { (own, start) = (ids, count) }
            count += ids.count
        }
        guard var own, let old = own.firstIndex(of: id) else { return nil }
        let target = move.target(from: start + old, of: count, within: start..<start + own.count)
        let new = target - start
        guard new != old else { return (target, nil) }
        own.remove(at: old)
        own.insert(id, at: new)
        // Unlisted transfers follow, oldest first, so those behind the moved one need not be listed.
        let first = own[...new]
        let named = Set(first)
        let order = try Array(first) + order(of: session).filter { !named.contains($0) }
        return (target, try saveOrder(TransferIDRuns(order), of: session))
    }
}
