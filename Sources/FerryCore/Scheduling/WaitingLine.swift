// Ferry: FerryCore
// Transfers with the same key, oldest first.

/// Transfers with the same key, oldest first: eight bytes for each.
struct WaitingLine: Sendable {
    private var ids: [TransferID] = []
    /// Those before have left at the front; taken out when they are half of all.
    private var head = 0

    var isEmpty: Bool { head == ids.count }
    var count: Int { ids.count - head }
    var first: TransferID? { isEmpty ? nil : ids[head] }

    func prefix(_ limit: Int) -> [TransferID] { Array(ids[head...].prefix(limit)) }

    mutating func insert(_ id: TransferID) {
        if let last = ids.last, last >= id {
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

    private func position(of id: TransferID) -> Int {
        var low = head
        var high = ids.count
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
