import FerryCore
import FerryStore
import FerryTesting
import Foundation
import Testing

@testable import FerryQueue
@testable import FerryService

@Suite(.timeLimit(.minutes(2))) struct `A disk that stalls` {
    private static let body = SeededBody(seed: 32, size: 300_000)
    private static let script = OriginScript(
        body, .on(.path("/held"), .hold("never", at: .body(200_000))))

    /// Commands that stop a run after it has written bytes.
    enum Stop: CaseIterable, Sendable {
        case pause, sessionPause, sessionRemoval

        func perform(on id: TransferID, _ other: TransferID, _ service: any SessionService) async throws {
            switch self {
            case .pause: _ = try await service.act(.pause, on: TransferSelection(ids: [id]))
            case .sessionPause: _ = try await service.act(.pause, in: .cli, on: [id])
            // The other transfer has no files, and its event is committed in the first step.
            case .sessionRemoval: _ = try await service.act(.remove, in: .cli, on: [id, other])
            }
        }
    }

    /// A pause's event gets its number at its commit. If it were published only once the run has stopped, it would
    /// delay all later events.
    @Test(arguments: Stop.allCases)
    func `withholds nobody's events while a run stops`(_ stop: Stop) async throws {
        let disk = FaultyDisk()
        let stalled = DispatchSemaphore(value: 0)
        let (syncing, begun) = AsyncStream<Void>.makeStream()
        try await withStoredService(
            Self.script,
            { configuration in
                configuration.disk = disk
                // Only the stop causes a sync.
                configuration.checkpointInterval = 1000
            }
        ) { bed, local in
            let id = try await bed.add("/held").id
            let other = try await bed.add("/other") { $0.timing.paused = true }.id
            try await bed.wait(for: id, received: 200_000)
            disk.before(.syncData) {
                begun.yield()
                // The limit only turns a hang into a failure.
                _ = stalled.wait(timeout: .now() + 40)
            }
            defer { for _ in 0..<8 { stalled.signal() } }
            var subscription = EventSubscription()
            subscription.after = try await bed.service.status().lastEvent
            var events = try await bed.service.events(subscription).makeAsyncIterator()
            async let stopped: Void = stop.perform(on: id, other, bed.service)
            for await _ in syncing { break }
            let added = try await bed.add("/new") { $0.timing.paused = true }.id
            var told: [TransferEvent] = []
            while told.last?.kind != .submitted { told.append(try #require(try await events.next())) }
            #expect(told.last?.id == added)
            #expect(told.first?.kind == (stop == .sessionRemoval ? .removed : .suspended))
            if stop == .pause { #expect(told.first?.transfer?.bytesReceived == 200_000) }
            disk.before(.syncData, nil)
            for _ in 0..<8 { stalled.signal() }
            try await stopped
        }
    }
}

@Suite struct `The order of events` {
    private static func event(_ number: Int64) -> TransferEvent {
        TransferEvent(
            number: number, kind: .removed, at: Date(timeIntervalSince1970: 5), id: TransferID(rawValue: 7),
            session: .cli, transfer: nil)
    }

    private static func run(_ first: Int64, _ count: Int) -> EventRun {
        EventRun(
            kind: .removed, session: .cli, at: Date(timeIntervalSince1970: 5), first: first,
            ids: (0..<count).map { TransferID(rawValue: UInt64($0)) })
    }

    @Test func `is that of their numbers, whatever the order in which they come`() {
        var order = EventOrder(last: 10)
        #expect(order.add(Self.event(12), 12) == [])
        #expect(order.add(Self.run(13, 3)) == [])
        #expect(order.isHeld && !order.isFull && order.last == 10)
        let next = order.add(Self.event(11), 11)
        #expect(next == [.event(Self.event(11)), .event(Self.event(12)), .run(Self.run(13, 3))])
        #expect(!order.isHeld && order.last == 15)
        #expect(order.add(Self.run(16, 0)) == [])
        #expect(order.add(Self.event(16), 16) == [.event(Self.event(16))])
    }

    @Test func `lets an event pass at once that follows, while none is kept back`() {
        var order = EventOrder(last: 10)
        #expect(order.follows(11) && order.last == 11)
        #expect(!order.follows(11) && !order.follows(13) && order.last == 11)
        #expect(order.add(Self.event(13), 13) == [])
        #expect(!order.follows(12) && order.last == 11, "what is kept back is told behind it")
        #expect(order.add(Self.event(12), 12) == [.event(Self.event(12)), .event(Self.event(13))])
        #expect(order.follows(14) && !order.isHeld)
    }

    @Test func `continues after a number without an event`() {
        var order = EventOrder(last: 0)
        for number: Int64 in 2...Int64(EventOrder.capacity + 1) { #expect(order.add(Self.event(number), number) == []) }
        #expect(!order.isFull)
        #expect(order.add(Self.run(5000, 10)) == [])
        #expect(order.isFull)
        order.skip()
        #expect(!order.isHeld && order.last == 5009)
        // Listeners have read it from the journal.
        #expect(order.add(Self.event(1), 1) == [])
        #expect(!order.isHeld && order.last == 5009)
        #expect(order.add(Self.event(5010), 5010) == [.event(Self.event(5010))])
    }
}
