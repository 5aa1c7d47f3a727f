import FerryCore
import FerryQueue
import Testing

@Suite struct `The queue of transfers that could run` {
    private func key(_ session: String = "a", _ origin: String = "http://one", _ priority: Priority = .normal) throws
        -> QueueKey
    {
        QueueKey(session: try SessionID(session), origin: origin, priority: priority)
    }

    private func drain(_ queue: inout ReadyQueue, mayRun: (QueueKey) -> Bool = { _ in true }) -> [UInt64] {
        var ids: [UInt64] = []
        while let next = queue.next(mayRun: mayRun) { ids.append(next.id.rawValue) }
        return ids
    }

    @Test func `L5 within one session the oldest comes first, whatever the order of arrival`() throws {
        var queue = ReadyQueue()
        let origins = ["http://one", "http://two", "http://three"]
        for id: UInt64 in [9, 2, 7, 1, 4, 3, 8, 5, 6] {
            queue.insert(TransferID(rawValue: id), try key("a", origins[Int(id) % 3]))
        }
        #expect(queue.count == 9)
        #expect(drain(&queue) == Array(1...9))
        #expect(queue.count == 0)
    }

    @Test func `L5 higher priority comes first`() throws {
        var queue = ReadyQueue()
        queue.insert(TransferID(rawValue: 1), try key("a", "http://one", .low))
        queue.insert(TransferID(rawValue: 2), try key())
        queue.insert(TransferID(rawValue: 3), try key("a", "http://one", .high))
        #expect(drain(&queue) == [3, 2, 1])
    }

    @Test func `L5 sessions alternate`() throws {
        var queue = ReadyQueue()
        for id: UInt64 in 1...4 { queue.insert(TransferID(rawValue: id), try key("a")) }
        for id: UInt64 in 5...6 { queue.insert(TransferID(rawValue: id), try key("b")) }
        queue.insert(TransferID(rawValue: 7), try key("c"))
        #expect(drain(&queue) == [1, 5, 7, 2, 6, 3, 4])
    }

    @Test func `L5 every eighth start is that of the oldest`() throws {
        var queue = ReadyQueue()
        queue.insert(TransferID(rawValue: 1), try key("a", "http://one", .low))
        queue.insert(TransferID(rawValue: 2), try key("b", "http://one", .low))
        for id: UInt64 in 11...40 { queue.insert(TransferID(rawValue: id), try key("c", "http://one", .high)) }
        let order = drain(&queue)
        #expect(order[7] == 1 && order[15] == 2)
        #expect(order.filter { $0 > 10 } == Array(11...40))
    }

    @Test func `L6 a transfer that may not run does not hold up the others`() throws {
        var queue = ReadyQueue()
        queue.insert(TransferID(rawValue: 1), try key("a", "http://busy", .high))
        queue.insert(TransferID(rawValue: 2), try key("a", "http://free"))
        #expect(drain(&queue) { $0.origin != "http://busy" } == [2])
        #expect(queue.count == 1)
        #expect(queue.next { _ in false } == nil)
        #expect(drain(&queue) == [1])
    }

    @Test func `every eighth start is the oldest transfer that may run`() throws {
        var queue = ReadyQueue()
        queue.insert(TransferID(rawValue: 1), try key("a", "http://busy", .low))
        queue.insert(TransferID(rawValue: 2), try key("a", "http://free", .low))
        for id: UInt64 in 11...20 { queue.insert(TransferID(rawValue: id), try key("a", "http://free", .high)) }
        #expect(drain(&queue) { $0.origin != "http://busy" }[7] == 2)
    }

    @Test func `a session's order decides among equal priorities, and transfers outside it follow`() throws {
        var queue = ReadyQueue()
        let origins = ["http://one", "http://two", "http://three"]
        func order(_ ids: [UInt64]) throws { queue.order(try SessionID("a"), ids.map(TransferID.init(rawValue:))) }
        try order([5, 3, 1, 99])
        for id: UInt64 in 1...6 { queue.insert(TransferID(rawValue: id), try key("a", origins[Int(id) % 3])) }
        queue.insert(TransferID(rawValue: 7), try key("a", "http://one", .high))
        #expect(drain(&queue) == [7, 5, 3, 1, 2, 4, 6])
        queue = ReadyQueue()
        for id: UInt64 in 1...6 { queue.insert(TransferID(rawValue: id), try key("a", origins[Int(id) % 3])) }
        try order([6, 5, 4, 3, 2, 1])
        #expect(queue.remove(TransferID(rawValue: 4), try key("a", origins[1])))
        #expect(queue.next { _ in true }?.id == TransferID(rawValue: 6))
        try order([])
        #expect(drain(&queue) == [1, 2, 3, 5])
    }

    /// A session's transfers keep their order whichever sessions wait beside it, and the sessions keep theirs.
    @Test(arguments: 1...20)
    func `a session's order is not changed by sessions that wait beside it`(round: Int) throws {
        var queue = ReadyQueue()
        let own: [UInt64] = [10, 1, 8]
        queue.order(try SessionID("a"), own.map(TransferID.init(rawValue:)))
        for id in own { queue.insert(TransferID(rawValue: id), try key("a", "http://\(id)")) }
        for id: UInt64 in [5, 6] { queue.insert(TransferID(rawValue: id), try key("b\(round)", "http://\(id)")) }
        #expect(drain(&queue).filter(own.contains) == own)
    }

    @Test(arguments: [true, false])
    func `the start of the oldest leaves the order within an ordered session`(isInOrder: Bool) throws {
        var queue = ReadyQueue()
        let order = [UInt64](1...20).reversed()
        queue.order(try SessionID("a"), order.map(TransferID.init(rawValue:)))
        for id in order { queue.insert(TransferID(rawValue: id), try key("a", "http://\(id)")) }
        var started: [UInt64] = []
        while let next = queue.next(isInOrder: { _ in isInOrder }, mayRun: { _ in true }) {
            started.append(next.id.rawValue)
        }
        #expect(Array(started.prefix(7)) == Array(order.prefix(7)))
        #expect(started[7] == (isInOrder ? 13 : 1))
        #expect((started == Array(order)) == isInOrder)
    }

    @Test func `the start of the oldest takes the first transfer of its session`() throws {
        var queue = ReadyQueue()
        queue.order(try SessionID("a"), [2, 1].map(TransferID.init(rawValue:)))
        for id: UInt64 in [1, 2] { queue.insert(TransferID(rawValue: id), try key("a", "http://\(id)", .low)) }
        for id: UInt64 in 11...20 { queue.insert(TransferID(rawValue: id), try key("c", "http://one", .high)) }
        var started: [UInt64] = []
        while let next = queue.next(isInOrder: { $0.name == "a" }, mayRun: { _ in true }) {
            started.append(next.id.rawValue)
        }
        #expect(started[7] == 2 && started.last == 1)
    }

    @Test func `inserting twice and removing what is not there changes nothing`() throws {
        var queue = ReadyQueue()
        let id = TransferID(rawValue: 1)
        queue.insert(id, try key())
        queue.insert(id, try key())
        #expect(queue.count == 1)
        #expect(!queue.remove(TransferID(rawValue: 2), try key()))
        #expect(!queue.remove(id, try key("b")))
        #expect(queue.remove(id, try key()))
        #expect(!queue.remove(id, try key()))
        #expect(queue.count == 0)
        #expect(drain(&queue) == [])
    }

    @Test func `transfers that wait for an origin are counted over sessions and priorities`() throws {
        var queue = ReadyQueue()
        queue.insert(TransferID(rawValue: 1), try key("a", "http://one", .low))
        queue.insert(TransferID(rawValue: 2), try key("b", "http://one"))
        queue.insert(TransferID(rawValue: 3), try key("b", "http://two"))
        #expect(queue.waiting(for: "http://one") == 2)
        #expect(queue.waiting(for: "http://three") == 0)
    }

    /// Insertions, removals and starts in any order give the same result as a plain set of pairs.
    @Test(arguments: 1...20) func `the queue holds the inserted transfers that were not removed`(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        var queue = ReadyQueue()
        var model: [UInt64: QueueKey] = [:]
        let keys = try ["a", "b"].flatMap { session in
            try [Priority.low, .normal, .high].map { try key(session, "http://one", $0) }
        }
        for _ in 0..<2000 {
            let id = UInt64.random(in: 0..<200, using: &numbers)
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0, 1:
                let key = keys.randomElement(using: &numbers) ?? keys[0]
                if let old = model[id] { queue.remove(TransferID(rawValue: id), old) }
                queue.insert(TransferID(rawValue: id), key)
                model[id] = key
            case 2:
                let key = model.removeValue(forKey: id)
                #expect(queue.remove(TransferID(rawValue: id), key ?? keys[0]) == (key != nil))
            default:
                guard let next = queue.next(mayRun: { _ in true }) else {
                    #expect(model.isEmpty)
                    continue
                }
                #expect(model.removeValue(forKey: next.id.rawValue) == next.key)
                let oldest = model.filter { $0.value == next.key }.keys.min()
                #expect(oldest.map { $0 > next.id.rawValue } ?? true)
            }
            #expect(queue.count == model.count)
        }
        #expect(Set(drain(&queue)) == Set(model.keys))
    }
}

/// Reproducible pseudorandom numbers.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 32) | (state << 32)
    }
}
