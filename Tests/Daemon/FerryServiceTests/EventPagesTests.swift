import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import FerryQueue
@testable import FerryService

/// The home of the pages. Its calls run in their order.
private actor Home {
    private(set) lazy var pages = EventPages(home: self) { [reads] request throws(ServiceError) in
        await reads.read(request)
    }
    nonisolated let reads = HeldReads()

    /// Asks for several pages, in their order.
    func ask(_ requests: [EventPages.Request]) -> [Task<Int64?, any Error>] {
        requests.map { request in Task { try await pages.page(request).through } }
    }
}

/// Reads that wait until they are released.
private actor HeldReads {
    private(set) var begun: [EventPages.Request] = []
    private var held: [CheckedContinuation<Void, Never>] = []

    func read(_ request: EventPages.Request) async -> EventPage {
        begun.append(request)
        await withCheckedContinuation { held.append($0) }
        return EventPage(signals: [], through: request.range.through, isLast: true)
    }

    func release() {
        for read in held { read.resume() }
        held = []
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Pages of events` {
    private func request(through: Int64, ids: Set<TransferID>? = nil) -> EventPages.Request {
        var subscription = EventSubscription()
        subscription.ids = ids
        return EventPages.Request(EventQueue.Range(after: 0, through: through), subscription, isBrief: false)
    }

    @Test func `listeners that ask for the same page share one read`() async throws {
        let home = Home()
        let asked = await home.ask(Array(repeating: request(through: 5), count: 30) + [request(through: 6)])
        try await eventually("both reads") { await home.reads.begun.count == 2 }
        await home.reads.release()
        for task in asked.dropLast() { #expect(try await task.value == 5) }
        #expect(try await asked.last?.value == 6)
        #expect(await home.reads.begun == [request(through: 5), request(through: 6)])
        // Transfers change, so later listeners read again.
        let later = await home.ask([request(through: 5)])
        try await eventually("a third read") { await home.reads.begun.count == 3 }
        await home.reads.release()
        #expect(try await later[0].value == 5)
    }

    @Test func `two pages are read at a time, the others in turn`() async throws {
        let home = Home()
        let ids: Set = [TransferID(rawValue: 7)]
        let asked = await home.ask((1...4).map { request(through: $0) } + [request(through: 5, ids: ids)])
        for count in [2, 4, 5] {
            try await eventually("\(count) reads") { await home.reads.begun.count == count }
            await home.reads.release()
        }
        for (place, task) in asked.enumerated() { #expect(try await task.value == Int64(place + 1)) }
    }
}
