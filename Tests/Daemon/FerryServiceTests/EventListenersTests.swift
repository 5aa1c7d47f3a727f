import FerryCore
import Foundation
import Testing

@testable import FerryQueue
@testable import FerryService

@Suite(.timeLimit(.minutes(1))) struct `Waking listeners` {
    private func event(_ number: Int64) -> EventOrder.Delivery {
        .event(
            TransferEvent(
                number: number, kind: .removed, at: Date(timeIntervalSince1970: 5), id: TransferID(rawValue: 7),
                session: .cli, transfer: nil))
    }

    private static let watcher = EventListener(EventSubscription(), inGroups: true, lastNumber: 0)

    private static var waitingForEnds: EventListener {
        var subscription = EventSubscription()
        (subscription.ids, subscription.endsWithTransfers) = ([TransferID(rawValue: 7)], true)
        return EventListener(subscription, inGroups: true, lastNumber: 0)
    }

    private static let session = EventListener(EventSubscription(), isBrief: true, lastNumber: 0)

    /// Offers events to a waiting listener.
    ///
    /// - Returns: The pause, and whether the listener still waits.
    private func offer(
        _ count: Int64, to listener: EventListener, beside watchers: Int
    ) async -> (pause: Duration?, isAsleep: Bool) {
        var listeners = EventListeners(lastNumber: 0)
        for _ in 0..<watchers { _ = listeners.add(Self.watcher) }
        let id = listeners.add(listener)
        var result: (Duration?, Bool) = (nil, false)
        await withCheckedContinuation { continuation in
            listeners[id]?.park(continuation)
            for number in 1...count { listeners.offer(event(number)) }
            result.0 = listeners.wakePrompt()
            result.1 = listeners[id]?.isAsleep == true
            listeners.wakePending()
            #expect(listeners[id]?.isAsleep == false)
        }
        return result
    }

    @Test func `few watchers are woken for each event`() async {
        let told = await offer(1, to: Self.watcher, beside: EventListeners.fewPaced - 1)
        #expect(told.pause == nil)
        #expect(!told.isAsleep)
    }

    @Test(arguments: [16, 299]) func `many watchers are woken together, after a pause`(others: Int) async {
        let told = await offer(1, to: Self.watcher, beside: others)
        #expect(told.pause == EventListeners.pausePerListener * (others + 1))
        #expect(told.isAsleep)
    }

    @Test(arguments: [waitingForEnds, session])
    func `a listener that waits for its transfers is woken at once beside many watchers`(
        listener: EventListener
    ) async {
        let told = await offer(1, to: listener, beside: 300)
        #expect(told.pause == nil)
        #expect(!told.isAsleep)
    }

    @Test(arguments: [watcher, waitingForEnds])
    func `a listener is woken when its queue is full`(listener: EventListener) async {
        let told = await offer(Int64(EventQueue.capacity) * 2, to: listener, beside: 300)
        #expect(told.pause == nil)
        #expect(!told.isAsleep)
    }

    @Test func `many watchers get every event`() async throws {
        let hub = EventHub(journal: MemoryJournal(), lastNumber: 0, home: Home())
        var streams: [AsyncThrowingStream<[TransferEvent], any Error>] = []
        for _ in 0..<40 { streams.append(try await hub.listenInGroups(EventSubscription()) { _ in true }) }
        let counts = Task {
            try await withThrowingTaskGroup(of: Int.self, returning: [Int].self) { group in
                for stream in streams {
                    group.addTask {
                        var count = 0
                        for try await events in stream {
                            count += events.count
                            if events.contains(where: { $0.number == 20 }) { break }
                        }
                        return count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        for number: Int64 in 1...20 {
            guard case .event(let event) = event(number) else { continue }
            await hub.publish(event)
        }
        #expect(try await counts.value == Array(repeating: 20, count: 40))
    }

    private actor Home {}
}
