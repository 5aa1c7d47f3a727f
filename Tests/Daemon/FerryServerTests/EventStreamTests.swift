import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Event streams` {
    private func service(events: Int64) -> FakeService {
        FakeService { state in
            state.answers.script.events = (1...events).map { number in
                TransferEvent(
                    number: number, kind: .submitted, at: Date(timeIntervalSince1970: 1_800_000_000),
                    id: TransferID(rawValue: 7), session: .cli, transfer: nil)
            }
        }
    }

    @Test func `events have a line each, with the requested fields`() async throws {
        let service = service(events: 3)
        try await withServer(service) { client in
            let lines = try await client.lines(3, of: "/v1/events?after=0&session=cli&progress=0.5")
            let events = try lines.map { try APIJSON.decoder.decode(TransferEvent.self, from: Data($0.utf8)) }
            #expect(events.map(\.number) == [1, 2, 3])
        }
        let asked = try #require(service.subscriptions.first)
        #expect(asked.after == 0)
        #expect(asked.session == .cli)
        #expect(asked.progressInterval == 0.5)
    }

    @Test(arguments: [("brief=true", true), ("brief=false", false), ("progress=1", false)])
    func `successes come without their transfers only if that was asked for`(query: String, isBrief: Bool) async throws
    {
        let service = service(events: 1)
        try await withServer(service) { client in
            _ = try await client.lines(1, of: "/v1/events?after=0&\(query)")
        }
        let asked = try #require(service.subscriptions.first)
        #expect(asked.omitsSuccesses == isBrief && asked.after == 0)
    }

    @Test func `a stream that ends with its transfers is a whole response`() async throws {
        try await withServer(service(events: 2)) { client in
            let response = try await client.send("GET", "/v1/events?ids=0000000000000007&until_ended=true")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == MediaType.lines)
            #expect(try response.lines(TransferEvent.self).count == 2)
        }
    }

    @Test func `a listener that leaves is noticed without a further event`() async throws {
        let service = service(events: 1)
        try await withServer(service) { client in
            _ = try await client.lines(1, of: "/v1/events")
            for await _ in service.left { break }
        }
    }

    @Test func `the end of the server ends the stream as a whole response`() async throws {
        let service = service(events: 1)
        var open: Task<RawResponse, any Error>?
        try await withServer(service) { client in
            let (first, came) = AsyncStream.makeStream(of: Void.self)
            open = Task {
                defer { came.finish() }
                return try await client.stream("/v1/events") { came.yield() }
            }
            // A stream that ends before its first value was written has no value.
            for await _ in first { break }
        }
        let response = try await #require(open).value
        #expect(response.status == 200)
        #expect(try response.lines(TransferEvent.self).count == 1)
    }
}
