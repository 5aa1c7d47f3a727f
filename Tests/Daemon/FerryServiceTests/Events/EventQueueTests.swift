import FerryCore
import FerryTesting
import Foundation
import SeedKit
import Testing

@testable import FerryQueue
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

    @Test func `is full with many events, many transfers, or one range`() {
        var queue = EventQueue()
        for number in 1..<Int64(EventQueue.capacity) { queue.append(Self.event(.removed, 9, number: number)) }
        #expect(!queue.isFull)
        queue.append(Self.event(.running, 1))
        #expect(queue.isFull)
        _ = queue.next()
        #expect(!queue.isFull)
        queue.append(EventQueue.Range(after: 1000, through: 1001))
        #expect(queue.isFull)
        _ = Self.drain(&queue)
        #expect(!queue.isFull && queue.isEmpty)
        let ids = (0..<UInt64(EventQueue.idCapacity)).map(TransferID.init(rawValue:))
        queue.append(ids, .submitted, through: 2000 + Int64(ids.count))
        #expect(queue.isFull)
    }

    @Test func `a backlog keeps the order of events and drops replaced samples first`() {
        var backlog = EventBacklog()
        backlog.append(Self.event(.running, 1), after: 1)
        for mark in 0..<EventBacklog.capacity { backlog.append(Self.sample(2, mark), after: 1) }
        let kept = backlog.entries(from: 0)
        #expect(kept.map(\.event.kind) == [.running, .progress])
        #expect(kept.last?.event == Self.sample(2, EventBacklog.capacity - 1))
        #expect(backlog.entries(from: 1).count == 1 && backlog.entries(from: backlog.end).isEmpty)
    }

    @Test func `a full backlog keeps the latest event of each transfer, then the latest events`() {
        var backlog = EventBacklog()
        let transfers = UInt64(EventBacklog.capacity / 4)
        for round in 0..<10 {
            for id in 0..<transfers {
                backlog.append(Self.event(round.isMultiple(of: 2) ? .waiting : .running, id), after: 0)
            }
            #expect(backlog.count <= EventBacklog.capacity)
        }
        let latest = backlog.entries(from: 0).suffix(Int(transfers))
        #expect(latest.map(\.event) == (0..<transfers).map { Self.event(.running, $0) })
        for id in 0..<20_000 as Range<UInt64> { backlog.append(Self.event(.running, id), after: 0) }
        #expect(backlog.count <= EventBacklog.capacity && backlog.entries(from: 0).last?.event.id.rawValue == 19_999)
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
    /// place between its neighbors. One listener reads eagerly, one rarely, and falls behind.
    @Test(arguments: 0..<40 as Range<UInt64>) func `keeps the order of arrival`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var listeners = EventListeners(lastNumber: 0)
        let ids = (0..<2).map { _ in listeners.add(EventListener(EventSubscription(), lastNumber: 0)) }
        var (expected, told) = (Sequence(), [Sequence(), Sequence()])
        var last: Int64 = 0
        func takeNext(_ place: Int) -> Bool {
            guard let item = listeners.take(ids[place]) else { return false }
            switch item {
            case .signal(.event(let event)): told[place].append(event)
            case .signal: Issue.record("a signal that never came")
            case .range(let range):
                let end = min(range.through, range.after + Int64.random(in: 1...256, using: &random))
                let events = (range.after + 1...end).map { SessionSignal.event(Self.event(.removed, 9, number: $0)) }
                listeners[ids[place]]?.fill(
                    range, with: EventPage(signals: events, through: end, isLast: end == range.through))
            }
            return true
        }
        for _ in 0..<3000 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<12:
                last += 1
                listeners.offer(.event(Self.event(.removed, 9, number: last)))
                expected.append(durable: last, through: last)
            case 12..<16:
                // Most are short. The others are read in several pages.
                let longest: Int64 = Int.random(in: 0..<8, using: &random) == 0 ? 700 : 40
                let count = Int64.random(in: 1...longest, using: &random)
                let removed = (0..<count).map { _ in TransferID(rawValue: 9) }
                if Bool.random(using: &random) {
                    listeners.skip(through: last + count)
                } else {
                    listeners.offer(
                        .run(EventRun(kind: .removed, session: .cli, at: .distantPast, first: last + 1, ids: removed)))
                }
                expected.append(durable: last + 1, through: last + count)
                last += count
            case 16..<24:
                let event = Self.event(.running, UInt64.random(in: 1...5, using: &random))
                listeners.offer(.event(event))
                expected.append(event)
            case 24: for _ in 0..<300 { _ = takeNext(1) }
            default: _ = takeNext(0)
            }
        }
        for place in 0..<2 { while takeNext(place) {} }
        #expect(told == [expected, expected])
    }

    @Test func `a listener that does not read costs nothing, however many events come`() {
        var listeners = EventListeners(lastNumber: 0)
        let id = listeners.add(EventListener(EventSubscription(), lastNumber: 0))
        for number in 1...Int64(20_000) {
            listeners.offer(.event(Self.event(.submitted, UInt64(number), number: number)))
            listeners.offer(.event(Self.event(.running, UInt64(number))))
        }
        #expect(listeners[id]?.isBehind == true)
        #expect(listeners[id]?.count == EventQueue.capacity)
        var durable: [Int64] = []
        var live: [UInt64] = []
        while let item = listeners.take(id) {
            switch item {
            case .signal(.event(let event)):
                if let number = event.number { durable.append(number) } else { live.append(event.id.rawValue) }
            case .signal: Issue.record("a signal that never came")
            case .range(let range):
                durable += range.after + 1...range.through
                listeners[id]?.fill(range, with: EventPage(signals: [], through: range.through, isLast: true))
            }
        }
        #expect(durable == Array(1...20_000))
        #expect(live == live.sorted() && live.last == 20_000)
        #expect(listeners[id]?.isBehind == false)
    }
}
