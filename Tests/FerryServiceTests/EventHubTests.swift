// Ferry: FerryServiceTests
// Events that the journal has and the hub has not told yet.

import FerryCore
import Foundation
import Logging
import Testing

@testable import FerryService
@testable import FerryStore

@Suite(.timeLimit(.minutes(2))) struct `The event hub` {
    private let journal: Journal

    init() throws {
        journal = try Journal.inMemory(logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Puts an event into the journal and tells nobody.
    private func append(_ kind: TransferEvent.Kind = .removed) async throws -> TransferEvent {
        let (id, at) = (TransferID(rawValue: 7), Date(timeIntervalSince1970: 5))
        let number = try await journal.commit { transaction throws(TransferError) in
            try transaction.appendEvent(kind: kind, at: at, id: id, session: .cli, snapshot: nil)
        }
        return TransferEvent(number: number, kind: kind, at: at, id: id, session: .cli, transfer: nil)
    }

    private func listen(_ hub: EventHub, after number: Int64?) async -> AsyncThrowingStream<TransferEvent, any Error> {
        var subscription = EventSubscription()
        subscription.after = number
        return await hub.listen(subscription) { _ in true }
    }

    /// A listener that catches up reads what is committed, which may be more than what was told.
    @Test func `an event that was read from the journal is not told again`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0)
        let first = try await append()
        let second = try await append()
        await hub.publish(first)
        var events = await listen(hub, after: 0).makeAsyncIterator()
        #expect(try await events.next()?.number == 1)
        await hub.publish(second)
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 2)
        #expect(try await events.next()?.number == 3)
        await hub.finish()
        #expect(try await events.next() == nil)
    }

    @Test func `events are told in the order of their numbers, whatever the order of the calls`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0)
        var events = await listen(hub, after: nil).makeAsyncIterator()
        let (first, second, third) = (try await append(), try await append(), try await append())
        for event in [third, first, second] { await hub.publish(event) }
        await hub.finish()
        for number: Int64 in 1...3 { #expect(try await events.next()?.number == number) }
        #expect(try await events.next() == nil)
    }

    /// A client may know numbers of a journal that was set aside since.
    @Test func `a number that was never given means from here on`() async throws {
        let hub = EventHub(journal: journal, lastNumber: 0)
        var events = await listen(hub, after: 1000).makeAsyncIterator()
        await hub.publish(try await append())
        #expect(try await events.next()?.number == 1)
    }
}
