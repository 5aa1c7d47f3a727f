import FerryCore
import FerryTesting
import Foundation
import Logging
import Testing

@testable import FerryQueue
@testable import FerryService
@testable import FerryStore

private actor Home {}

@Suite(.timeLimit(.minutes(2))) struct `The event hub` {
    private let journal: any Journal

    init() throws {
        journal = try SQLiteJournal.inMemory(logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Adds an event to the journal without publishing it.
    private func append(_ kind: TransferEvent.Kind = .removed) async throws -> TransferEvent {
        let (id, at) = (TransferID(rawValue: 7), Date(timeIntervalSince1970: 5))
        let number = try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvent(kind: kind, at: at, id: id, session: .cli, snapshot: nil)
        }
        return TransferEvent(number: number, kind: kind, at: at, id: id, session: .cli, transfer: nil)
    }

    private func listen(
        _ hub: EventHub, after number: Int64?
    ) async throws -> AsyncThrowingStream<TransferEvent, any Error> {
        var subscription = EventSubscription()
        subscription.after = number
        return try await hub.listen(subscription) { _ in true }
    }

    /// A listener that catches up reads committed events, which may include unpublished ones.
    @Test func `an event that was read from the journal is not delivered again`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        let first = try await append()
        let second = try await append()
        await hub.publish(first)
        var events = try await listen(hub, after: 0).makeAsyncIterator()
        #expect(try await events.next()?.number == 1)
        await hub.publish(second)
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 2)
        #expect(try await events.next()?.number == 3)
        await hub.finish()
        #expect(try await events.next() == nil)
    }

    /// An event that was committed but is never published must not delay later events.
    @Test func `a number without an event is looked up in the journal by listeners`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home(), patience: .milliseconds(1))
        var events = try await listen(hub, after: nil).makeAsyncIterator()
        let missing = try await append()
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 1)
        #expect(try await events.next()?.number == 2)
        await hub.publish(missing)
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 3)
        await hub.finish()
        #expect(try await events.next() == nil)
    }

    @Test func `events are delivered in the order of their numbers, whatever the order of the calls`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        var events = try await listen(hub, after: nil).makeAsyncIterator()
        let (first, second, third) = (try await append(), try await append(), try await append())
        for event in [third, first, second] { await hub.publish(event) }
        await hub.finish()
        for number: Int64 in 1...3 { #expect(try await events.next()?.number == number) }
        #expect(try await events.next() == nil)
    }

    @Test func `a listener for ends alone gets them from the journal and as they come`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        for kind in [TransferEvent.Kind.submitted, .failed, .resumed] { await hub.publish(try await append(kind)) }
        var subscription = EventSubscription()
        (subscription.after, subscription.endsAlone) = (0, true)
        var events = try await hub.listen(subscription) { _ in true }.makeAsyncIterator()
        #expect(!hub.hasLiveListeners)
        #expect(try await events.next()?.number == 2)
        await hub.publish(
            TransferEvent(
                number: nil, kind: .running, at: Date(), id: TransferID(rawValue: 7), session: .cli, transfer: nil))
        for kind in [TransferEvent.Kind.suspended, .succeeded] { await hub.publish(try await append(kind)) }
        await hub.finish()
        #expect(try await events.next()?.number == 5)
        #expect(try await events.next() == nil)
    }

    /// A client may know event numbers of a journal that was set aside since.
    @Test func `a number that was never given means from here on`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        var events = try await listen(hub, after: 1000).makeAsyncIterator()
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 1)
    }

    // MARK: Many at once

    private let session: SessionID = .cli

    /// Adds events of many transfers to the journal without publishing them.
    private func append(_ kind: TransferEvent.Kind, _ ids: Range<UInt64>) async throws -> EventRun {
        let ids = ids.map(TransferID.init(rawValue:))
        let session = session
        return try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvents(kind: kind, at: Date(timeIntervalSince1970: 5), ids: ids, session: session)
        }
    }

    private func signals(
        _ hub: EventHub, after number: Int64?
    ) async throws -> AsyncThrowingStream<SessionSignal, any Error> {
        var subscription = EventSubscription()
        subscription.after = number
        subscription.session = session
        return try await hub.signals(subscription, isBrief: true).signals
    }

    /// Returns all batches up to the end of the hub.
    private func batches(_ signals: AsyncThrowingStream<SessionSignal, any Error>) async throws -> [EventBatch] {
        var batches: [EventBatch] = []
        for try await case .batch(let batch) in signals { batches.append(batch) }
        return batches
    }

    @Test func `events of one kind that wait are one batch, in the order of their numbers`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        let signals = try await signals(hub, after: nil)
        let submitted = try await append(.submitted, 0..<5)
        let more = try await append(.submitted, 5..<7)
        let single = try await append(.removed)
        let suspended = try await append(.suspended, 0..<2)
        await hub.publish(suspended)
        await hub.publish(more)
        await hub.publish(single)
        await hub.publish(submitted)
        await hub.finish()
        let told = try await batches(signals)
        #expect(told.map(\.kind) == [.submitted, .removed, .suspended])
        #expect(told.map(\.through) == [7, 8, 10])
        #expect(told.map(\.ids.count) == [7, 1, 2])
        #expect(told[0].ids == (0..<7).map(TransferID.init(rawValue:)))
    }

    @Test func `a listener that does not read gets the rest from the journal, all of it once`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        let signals = try await signals(hub, after: nil)
        let count = UInt64(EventQueue.idCapacity)
        for round: UInt64 in 0..<3 {
            await hub.publish(try await append(.submitted, round * count..<(round + 1) * count))
        }
        await hub.finish()
        let told = try await batches(signals)
        #expect(told.allSatisfy { $0.ids.count <= EventQueue.largestBatch })
        #expect(told.flatMap(\.ids) == (0..<count * 3).map(TransferID.init(rawValue:)))
        #expect(told.last?.through == Int64(count * 3))
        #expect(told.map(\.through) == told.map(\.through).sorted())
    }

    @Test func `an event that was read in the journal before its notification is delivered once`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        await hub.publish(try await append(.submitted, 0..<3))
        let early = try await append(.removed, 0..<2)
        let late = try await append(.removed, 2..<3)
        let signals = try await signals(hub, after: 0)
        var iterator = signals.makeAsyncIterator()
        #expect(
            try await iterator.next()
                == .batch(EventBatch(kind: .submitted, through: 3, ids: (0..<3).map(TransferID.init(rawValue:)))))
        await hub.publish(early)
        await hub.publish(late)
        await hub.finish()
        var gone: [TransferID] = []
        while let signal = try await iterator.next() {
            if case .batch(let batch) = signal, batch.kind == .removed { gone += batch.ids }
        }
        #expect(gone == (0..<3).map(TransferID.init(rawValue:)))
    }

    /// A regression: a page was awaited as an argument of the call that changes the listener, so that listeners that
    /// were added meanwhile corrupted the memory of an optimized build.
    @Test func `many listeners read the same history while others are added`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        await hub.publish(try await append(.submitted, 0..<300))
        try await withThrowingTaskGroup(of: [Int64?].self) { group in
            for _ in 0..<200 {
                group.addTask {
                    var subscription = EventSubscription()
                    subscription.after = 0
                    var numbers: [Int64?] = []
                    for try await events in try await hub.listenInGroups(subscription, ended: { _ in true }) {
                        numbers += events.map(\.number)
                        if numbers.count >= 300 { break }
                    }
                    return numbers
                }
            }
            for try await numbers in group { #expect(numbers == Array(1...300)) }
        }
    }

    private func live(_ kind: TransferEvent.Kind, _ id: UInt64) -> TransferEvent {
        TransferEvent(
            number: nil, kind: kind, at: Date(timeIntervalSince1970: 5), id: TransferID(rawValue: id), session: .cli,
            transfer: nil)
    }

    /// A listener with full events reads a batch's events from the journal. A regression: live events in the meantime
    /// were dropped, so a transfer that started and finished then was never reported as running.
    @Test func `a live event is delivered in its place while a listener catches up`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        await hub.publish(try await append())
        var events = try await listen(hub, after: 0).makeAsyncIterator()
        await hub.publish(live(.waiting, 1))
        await hub.publish(try await append(.submitted, 0..<600))
        await hub.publish(live(.running, 2))
        await hub.publish(try await append())
        await hub.publish(try await append(.suspended, 0..<3))
        await hub.publish(live(.running, 3))
        await hub.finish()
        var told: [Int64?] = []
        while let event = try await events.next() { told.append(event.number ?? -Int64(event.id.rawValue)) }
        #expect(told == [1, -1] + Array(2...601) + [-2, 602, 603, 604, 605, -3])
    }

    @Test func `a listener for whole events reads many at once in the journal`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0, home: Home())
        var events = try await listen(hub, after: nil).makeAsyncIterator()
        await hub.publish(try await append())
        await hub.publish(try await append(.removed, 0..<600))
        await hub.publish(try await append())
        for number: Int64 in 1...602 { #expect(try await events.next()?.number == number) }
        await hub.finish()
        #expect(try await events.next() == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Listeners that nobody reads` {
    @Test func `are refused beyond a number, and leave places behind`() async throws {
        let hub = EventHub(journal: MemoryJournal(), lastNumber: 0, home: Home())
        var streams: [AsyncThrowingStream<TransferEvent, any Error>] = []
        for _ in 0..<EventHub.mostListeners {
            streams.append(try await hub.listen(EventSubscription()) { _ in true })
        }
        let error = await #expect(throws: ServiceError.self) {
            _ = try await hub.listen(EventSubscription()) { _ in true }
        }
        #expect(error?.code == .daemonUnreachable)
        streams.removeAll()
        try await eventually("a place") { (try? await hub.listen(EventSubscription()) { _ in true }) != nil }
    }
}
