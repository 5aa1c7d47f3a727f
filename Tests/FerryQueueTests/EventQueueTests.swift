import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite struct `The queue of a listener` {
    private static func event(_ kind: TransferEvent.Kind, _ id: UInt64, number: Int64? = nil) -> TransferEvent {
        TransferEvent(
            number: number, kind: kind, at: Date(timeIntervalSince1970: Double(id)), id: TransferID(rawValue: id),
            session: .cli, transfer: nil)
    }

    /// Returns a sample that differs from others of its transfer.
    private static func sample(_ id: UInt64, _ mark: Int) -> TransferEvent {
        TransferEvent(
            number: nil, kind: .progress, at: Date(timeIntervalSince1970: Double(mark)), id: TransferID(rawValue: id),
            session: .cli, transfer: nil)
    }

    /// Takes all events from a queue whose journal has an event for each number up to the last.
    private static func drain(_ queue: inout EventQueue, page: Int = 3) -> [String] {
        var told: [String] = []
        while let item = queue.next() {
            switch item {
            case .signal(.event(let event)):
                told.append(event.number.map(String.init) ?? "\(event.kind.rawValue) \(event.id.rawValue)")
            case .signal: told.append("batch")
            case .range(let range):
                let last = min(range.through, range.after + Int64(page))
                let events = (range.after + 1..<last + 1).map { event(.removed, 9, number: $0) }
                queue.fill(
                    range,
                    with: EventPage(
                        signals: events.map(SessionSignal.event), through: last, isLast: last == range.through))
            }
        }
        return told
    }

    @Test func `a sample takes the place of one that waits, unless other news of its transfer may follow that`() {
        var queue = EventQueue()
        queue.append(Self.sample(1, 1))
        queue.append(Self.sample(2, 1))
        queue.append(Self.sample(1, 2))
        queue.append(Self.event(.suspended, 1, number: 1))
        queue.append(Self.sample(1, 3))
        queue.append(Self.sample(2, 2))
        queue.append(EventQueue.Range(after: 1, through: 4))
        queue.append(Self.sample(2, 3))
        queue.append(Self.event(.waiting, 2))
        queue.append(Self.sample(2, 4))
        var marks: [Double] = []
        var copy = queue
        while case .signal(.event(let event))? = copy.next() { marks.append(event.at.timeIntervalSince1970) }
        #expect(marks == [2, 2, 1, 3])
        let told = Self.drain(&queue)
        #expect(told.prefix(4) == ["progress 1", "progress 2", "1", "progress 1"])
        #expect(told.dropFirst(4) == ["2", "3", "4", "progress 2", "waiting 2", "progress 2"])
        #expect(queue.isEmpty)
    }

    @Test func `a sample that was taken has no place to give`() {
        var queue = EventQueue()
        queue.append(Self.sample(1, 1))
        _ = queue.next()
        queue.append(Self.event(.running, 2))
        queue.append(Self.sample(1, 2))
        #expect(Self.drain(&queue) == ["running 2", "progress 1"])
    }

    @Test func `a file that grows while it is read is read on`() {
        var queue = EventQueue()
        queue.append(EventQueue.Range(after: 0, through: 2))
        guard case .range(let first)? = queue.next() else {
            Issue.record("no range")
            return
        }
        queue.append(EventQueue.Range(after: 2, through: 5))
        let events = (1...2).map { SessionSignal.event(Self.event(.removed, 9, number: $0)) }
        queue.fill(first, with: EventPage(signals: events, through: 2, isLast: true))
        #expect(Self.drain(&queue) == ["1", "2", "3", "4", "5"])
    }

    @Test func `durable events beyond its capacity are one range, however many they are`() {
        var queue = EventQueue()
        let count = Int64(EventQueue.capacity) * 5
        for number in 1...count { queue.append(Self.event(.removed, 9, number: number)) }
        queue.append(Self.event(.running, 1))
        queue.append(Self.event(.removed, 9, number: count + 1))
        var ranges = 0
        var copy = queue
        while let item = copy.next() {
            guard case .range(let range) = item else { continue }
            ranges += 1
            copy.fill(range, with: EventPage(signals: [], through: range.through, isLast: true))
        }
        #expect(ranges == 2)
        #expect(Self.drain(&queue) == (1...count).map(String.init) + ["running 1", "\(count + 1)"])
    }

    @Test func `a listener that never reads keeps the latest live events`() {
        var queue = EventQueue()
        queue.append(EventQueue.Range(after: 0, through: 1))
        for round in 0..<10 {
            for id in 0..<UInt64(EventQueue.liveCapacity / 4) {
                queue.append(Self.event(round.isMultiple(of: 2) ? .waiting : .running, id))
            }
            queue.append(EventQueue.Range(after: Int64(round) + 1, through: Int64(round) + 2))
        }
        let told = Self.drain(&queue)
        #expect(told.count <= EventQueue.liveCapacity + 11)
        #expect(told.filter { Int($0) != nil } == (1...11).map(String.init))
        #expect(told.last == "11" && told.suffix(2).first == "running \(EventQueue.liveCapacity / 4 - 1)")
        for id in 0..<20_000 { queue.append(Self.event(.running, UInt64(id))) }
        let latest = Self.drain(&queue)
        #expect(latest.count <= EventQueue.liveCapacity && latest.last == "running 19999")
    }

    /// A sequence of events. A run of consecutive durable events is one element, so that long sequences compare fast.
    private struct Sequence: Equatable {
        private enum Run: Equatable {
            case durable(first: Int64, last: Int64)
            case live(TransferID)
        }

        private var runs: [Run] = []

        mutating func append(durable first: Int64, through last: Int64) {
            if case .durable(let start, let end)? = runs.last, end + 1 == first {
                runs[runs.count - 1] = .durable(first: start, last: last)
            } else {
                runs.append(.durable(first: first, last: last))
            }
        }

        mutating func append(_ event: TransferEvent) {
            if let number = event.number {
                append(durable: number, through: number)
            } else {
                runs.append(.live(event.id))
            }
        }
    }

    /// However events arrive and are read, each durable event is delivered exactly once, and each live event in its
    /// place between its neighbors.
    @Test(arguments: 0..<40 as Range<UInt64>) func `keeps the order of arrival`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var queue = EventQueue()
        var (expected, told) = (Sequence(), Sequence())
        var last: Int64 = 0
        func takeNext() -> Bool {
            guard let item = queue.next() else { return false }
            switch item {
            case .signal(.event(let event)): told.append(event)
            case .signal: Issue.record("a signal that never came")
            case .range(let range):
                let end = min(range.through, range.after + Int64.random(in: 1...256, using: &random))
                let events = (range.after + 1...end).map { SessionSignal.event(Self.event(.removed, 9, number: $0)) }
                queue.fill(range, with: EventPage(signals: events, through: end, isLast: end == range.through))
            }
            return true
        }
        for _ in 0..<3000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                last += 1
                queue.append(Self.event(.removed, 9, number: last))
                expected.append(durable: last, through: last)
            case 3:
                // Most are short. The others are read in several pages.
                let longest: Int64 = Int.random(in: 0..<8, using: &random) == 0 ? 700 : 40
                let count = Int64.random(in: 1...longest, using: &random)
                queue.append(EventQueue.Range(after: last, through: last + count))
                expected.append(durable: last + 1, through: last + count)
                last += count
            case 4..<6:
                let event = Self.event(.running, UInt64.random(in: 1...5, using: &random))
                queue.append(event)
                expected.append(event)
            default: _ = takeNext()
            }
        }
        while takeNext() {}
        #expect(told == expected)
    }
}
