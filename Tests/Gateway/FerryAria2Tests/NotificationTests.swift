import FerryCore
import FerryFoundation
import FerryTesting
import Testing

@testable import FerryAria2

@Suite(.timeLimit(.minutes(1))) struct `Notifications` {
    private typealias Kind = TransferEvent.Kind

    /// Returns a service whose event streams have some events, and end.
    private static func service(_ events: [TransferEvent]) -> FakeService {
        FakeService { $0.answers.script = EventScript(events, end: .finishes) }
    }

    /// Returns a client's notifications for events, each given as a kind and a transfer number.
    private static func told(_ events: [(Kind, UInt64)], state: TransferState = .waiting) async throws -> [String] {
        let events = events.enumerated().map { place, event in
            TransferEvent(
                number: Int64(place), kind: event.0, at: .distantPast, id: TransferID(rawValue: event.1),
                session: .aria2,
                transfer: event.0 == .submitted ? .sample(id: event.1, state: state) : nil)
        }
        var told: [String] = []
        for await bytes in try await Client(service(events)).endpoint.notifications() {
            told.append(String(decoding: bytes, as: UTF8.self))
        }
        return told
    }

    private static func text(_ word: String, _ id: Int) -> String {
        #"{"jsonrpc":"2.0","method":"aria2.onDownload\#(word)","params":[{"gid":"000000000000000\#(id)"}]}"#
    }

    @Test(
        arguments: [
            ([.submitted, .running, .progress, .succeeded], ["Start", "Complete"]),
            ([.submitted, .running, .waiting, .running, .failed], ["Start", "Error"]),
            ([.submitted, .succeeded], ["Start", "Complete"]),
            (
                [.submitted, .running, .suspended, .resumed, .running, .canceled, .removed],
                ["Start", "Pause", "Start", "Stop"]
            ),
            ([.submitted, .suspended, .resumed, .succeeded], ["Pause", "Start", "Complete"]),
            ([.submitted, .canceled], ["Stop"]), ([.removed], []), ([.succeeded], ["Complete"]),
            ([.unknown, .waiting], []),
        ] as [([TransferEvent.Kind], [String])])
    func `A9 tell of each change once`(kinds: [TransferEvent.Kind], words: [String]) async throws {
        #expect(try await Self.told(kinds.map { ($0, 1) }) == words.map { Self.text($0, 1) })
    }

    @Test func `A9 come in the order of the events`() async throws {
        let told = try await Self.told([
            (.submitted, 1), (.submitted, 2), (.running, 2), (.running, 1), (.succeeded, 2), (.failed, 1),
        ])
        #expect(
            told == [
                Self.text("Start", 2), Self.text("Start", 1), Self.text("Complete", 2), Self.text("Error", 1),
            ])
    }

    @Test func `report no start of transfers that are added paused`() async throws {
        #expect(try await Self.told([(.submitted, 1), (.canceled, 1)], state: .suspended) == [Self.text("Stop", 1)])
    }

    @Test func `A11 name the gid that the client has chosen`() async throws {
        var transfer = Transfer.sample(id: 1)
        transfer.note = ClientNote(
            application: "aria2", identifier: "", task: 0, kind: .download, data: #"{"gid":"00000000000000ab"}"#)
        let service = Self.service([
            TransferEvent(
                number: 1, kind: .suspended, at: .distantPast, id: transfer.id, session: .aria2, transfer: nil)
        ])
        service.put(transfer)
        var iterator = try await Client(service).endpoint.notifications().makeAsyncIterator()
        let bytes = try #require(await iterator.next())
        #expect(String(decoding: bytes, as: UTF8.self).contains("00000000000000ab"))
    }

    @Test func `A15 are of the session that clients see`() async throws {
        let event = TransferEvent(
            number: 1, kind: .failed, at: .distantPast, id: TransferID(rawValue: 1), session: .cli, transfer: nil)
        for showsAll in [false, true] {
            var count = 0
            let client = Client(Self.service([event]), showsAll: showsAll)
            for await _ in try await client.endpoint.notifications() { count += 1 }
            #expect(count == (showsAll ? 1 : 0))
        }
    }

    @Test func `tell a connection that comes late of no start that was before it`() async throws {
        let events = [TransferEvent.Kind.waiting, .running, .succeeded].map { Self.event($0, 1) }
        let service = Self.service(events)
        service.put(.sample(id: 1, state: .waiting, reason: .retry))
        var told: [String] = []
        for await bytes in try await Client(service).endpoint.notifications() {
            told.append(String(decoding: bytes, as: UTF8.self))
        }
        #expect(told == [Self.text("Complete", 1)])
    }

    @Test func `end for a connection that does not take them, and for no other`() async throws {
        let (live, sender) = AsyncThrowingStream.makeStream(of: TransferEvent.self, throwing: (any Error).self)
        let endpoint = Client(FakeService { $0.answers.live = live }).endpoint
        let silent = try await endpoint.notifications()
        var reader = try await endpoint.notifications().makeAsyncIterator()
        let count = NotificationHub.mostWaiting + 10
        for _ in 0..<count {
            sender.yield(Self.event(.failed, 2))
            _ = try #require(await reader.next())
        }
        var taken = 0
        for await _ in silent { taken += 1 }
        #expect(taken == NotificationHub.mostWaiting)
        sender.yield(Self.event(.canceled, 1))
        #expect(await reader.next().map { String(decoding: $0, as: UTF8.self) } == Self.text("Stop", 1))
    }

    private static func event(_ kind: Kind, _ id: UInt64) -> TransferEvent {
        TransferEvent(
            number: 1, kind: kind, at: .distantPast, id: TransferID(rawValue: id), session: .aria2, transfer: nil)
    }
}
