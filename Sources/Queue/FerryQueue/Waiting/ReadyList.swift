package import FerryCore

/// Ready transfers with the same key, in their session's order, otherwise oldest first. Eight bytes each.
struct ReadyList: Sendable {
    private var ids: [TransferID] = []
    /// Index of the first transfer. Removed ones before it are compacted when they are half of all.
    private var head = 0
    /// The session's order. Unranked transfers follow, oldest first.
    private var ranks: [TransferID: Int]

    init(ranks: [TransferID: Int] = [:]) { self.ranks = ranks }

    var isEmpty: Bool { head == ids.count }
    var count: Int { ids.count - head }
    var first: TransferID? { isEmpty ? nil : ids[head] }

    func prefix(_ limit: Int) -> [TransferID] { Array(ids[head...].prefix(limit)) }

    mutating func insert(_ id: TransferID) {
        if let last = ids.last, !precedes(last, id) {
            let index = position(of: id)
            if index < ids.count, ids[index] == id { return }
            ids.insert(id, at: index)
        } else {
            ids.append(id)
        }
    }

    mutating func remove(_ id: TransferID) -> Bool {
        let index = position(of: id)
        guard index < ids.count, ids[index] == id else { return false }
        if index == head {
            head += 1
            if head * 2 > ids.count {
                ids.removeFirst(head)
                head = 0
            }
        } else {
            ids.remove(at: index)
        }
        return true
    }

    /// Removes the transfers among `some` and returns them in order.
    mutating func remove(_ some: Set<TransferID>) -> [TransferID] {
        var gone: [TransferID] = []
        var left: [TransferID] = []
        for id in ids[head...] {
            if some.contains(id) { gone.append(id) } else { left.append(id) }
        }
        ids = left
        head = 0
        return gone
    }

    /// Changes the session's order.
    mutating func order(by ranks: [TransferID: Int]) {
        self.ranks = ranks
        ids = ids[head...].sorted { precedes($0, $1) }
        head = 0
    }

    func precedes(_ one: TransferID, _ other: TransferID) -> Bool {
        if ranks.isEmpty { return one < other }
        let rank = ranks[one] ?? .max
        let otherRank = ranks[other] ?? .max
        return rank == otherRank ? one < other : rank < otherRank
    }

    private func position(of id: TransferID) -> Int {
        var low = head
        var high = ids.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(ids[middle], id) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The scheduling key of a waiting transfer. Transfers with the same key share one list.
package struct QueueKey: Hashable, Sendable {
    package var session: SessionID
    /// The origin of the request's URL.
    package var origin: String
    package var priority: Priority
    package var network: NetworkPolicy

    package init(
        session: SessionID, origin: String, priority: Priority, network: NetworkPolicy = NetworkPolicy()
    ) {
        self.session = session
        self.origin = origin
        self.priority = priority
        self.network = network
    }
}
