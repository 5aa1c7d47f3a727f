import FerryCore
import FerryQueue
import Testing

@Suite struct `Waiting transfers beyond memory` {
    private let key = QueueKey(session: .cli, origin: "http://one", priority: .normal)
    private let other = QueueKey(session: .cli, origin: "http://two", priority: .normal)

    private func id(_ number: UInt64) -> TransferID { TransferID(rawValue: number) }
    private func ids(_ numbers: ClosedRange<UInt64>) -> [TransferID] { numbers.map(id) }

    /// Begins the next reading.
    private func begin(_ backlog: inout Backlog<String>) throws -> Backlog<String>.Reading {
        let reading = backlog.begin { _ in true }
        return try #require(reading)
    }

    /// Ends a reading.
    private func end(
        _ reading: Backlog<String>.Reading, _ read: ClosedRange<UInt64>, isEnd: Bool,
        _ backlog: inout Backlog<String>
    ) throws -> Backlog<String>.Taken {
        let taken = backlog.end(reading, ids(read), isEnd: isEnd)
        return try #require(taken)
    }

    @Test func `is read where a line is short, one source at a time`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: id(10), through: id(30))
        backlog.add("two", other, after: nil, through: id(30))
        let none = backlog.begin { _ in false }
        let short = backlog.begin { $0 == other }
        let second = backlog.begin { _ in true }
        #expect(none == nil && second == nil)
        let reading = try #require(short)
        #expect(reading == Backlog.Reading(source: "two", after: nil, through: id(30)))
        let taken = try end(reading, 1...3, isEnd: true, &backlog)
        #expect(taken.ids == ids(1...3) && taken.key == other)
        let next = try begin(&backlog)
        #expect(next.source == "one")
    }

    @Test func `goes on after the last that was read`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: id(10), through: id(30))
        let first = try begin(&backlog)
        _ = try end(first, 11...20, isEnd: false, &backlog)
        let reading = try begin(&backlog)
        #expect(reading.after == id(20))
        _ = try end(reading, 21...30, isEnd: true, &backlog)
        #expect(backlog.isEmpty)
    }

    @Test func `a transfer that was changed meanwhile is left to the next time`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: nil, through: id(30))
        let first = try begin(&backlog)
        backlog.touch(id(4))
        let some = try end(first, 1...9, isEnd: true, &backlog)
        #expect(some.ids == ids(1...3))
        let second = try begin(&backlog)
        #expect(second.after == id(3))
        // The first of them was suspended. The next one was changed meanwhile.
        backlog.touch(id(5))
        let none = try end(second, 5...9, isEnd: true, &backlog)
        #expect(none.ids.isEmpty)
        let third = try begin(&backlog)
        #expect(third.after == id(3))
        _ = try end(third, 5...9, isEnd: true, &backlog)
        #expect(backlog.isEmpty)
    }

    @Test func `later ones of a source are read after the earlier`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: nil, through: id(5))
        let first = try begin(&backlog)
        backlog.add("one", key, after: id(7), through: id(9))
        _ = try end(first, 1...5, isEnd: true, &backlog)
        let second = try begin(&backlog)
        #expect(second.after == id(5) && second.through == id(9))
        _ = try end(second, 8...9, isEnd: true, &backlog)
        #expect(backlog.isEmpty)
    }

    @Test func `an earlier list that arrives after a later one is read`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: id(7), through: id(9))
        backlog.add("one", key, after: id(2), through: id(5))
        let reading = try begin(&backlog)
        #expect(reading.after == id(2) && reading.through == id(9))
        _ = try end(reading, 3...9, isEnd: true, &backlog)
        #expect(backlog.isEmpty)
    }

    /// The reading went past its transfers before they were stored.
    @Test(arguments: [true, false])
    func `an earlier list that arrives during a reading is read`(isEnd: Bool) throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: nil, through: id(30))
        let first = try begin(&backlog)
        backlog.add("one", key, after: id(4), through: id(6))
        _ = try end(first, 9...20, isEnd: isEnd, &backlog)
        let second = try begin(&backlog)
        #expect(second.after == id(4) && second.through == id(30))
        _ = try end(second, 5...30, isEnd: true, &backlog)
        #expect(backlog.isEmpty)
    }

    @Test func `an empty end ends a source, and a failed reading is repeated`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: id(3), through: id(5))
        let failed = try begin(&backlog)
        backlog.abandon()
        let again = try begin(&backlog)
        #expect(again == failed)
        let taken = backlog.end(again, [], isEnd: true)
        #expect(taken?.ids == [] && backlog.isEmpty)
    }

    @Test func `takes another key`() throws {
        var backlog = Backlog<String>()
        backlog.add("one", key, after: nil, through: id(5))
        let reading = try begin(&backlog)
        backlog.change { _, _ in other }
        let taken = try end(reading, 1...5, isEnd: true, &backlog)
        #expect(taken.key == other)
    }
}
