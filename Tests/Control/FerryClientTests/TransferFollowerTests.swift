import FerryClient
import FerryTesting
import Foundation
import Testing

@testable import FerryCore

@Suite(.timeLimit(.minutes(1))) struct `Follower` {
    private static let one = TransferID(rawValue: 1)
    private static let two = TransferID(rawValue: 2)

    private static func transfer(_ id: TransferID, _ state: TransferState, bytes: Int64 = 0) -> Transfer {
        var transfer = Transfer(id, in: .cli, url: "http://a/b", state: state, createdAt: .distantPast)
        (transfer.bytesReceived, transfer.folder, transfer.attempts) = (bytes, "/tmp", 1)
        return transfer
    }

    private static func event(
        _ number: Int64?, _ kind: TransferEvent.Kind, _ id: TransferID = one, _ state: TransferState = .running,
        bytes: Int64 = 0
    ) -> TransferEvent {
        let transfer = kind == .removed ? nil : transfer(id, state, bytes: bytes)
        return TransferEvent(
            number: number, kind: kind, at: .distantPast, id: id, session: .cli, transfer: transfer)
    }

    /// Returns a service with these event streams. Later ones break at once.
    private static func service(_ scripts: [EventScript], known: [Transfer] = []) -> FakeService {
        FakeService { state in
            state.lastEvent = 10
            state.answers.scripts = scripts
            state.answers.script.end = .breaks
            for transfer in known { state.transfers[transfer.id] = transfer }
        }
    }

    private static func finishing(_ events: TransferEvent...) -> EventScript {
        EventScript(events, end: .finishes)
    }
    private static func breaking(_ events: TransferEvent...) -> EventScript {
        EventScript(events, end: .breaks)
    }

    private func follow(_ service: FakeService, _ ids: [TransferID], after: Int64?) async throws -> [String] {
        var told: [String] = []
        try await TransferFollower(service, sleep: { _ in }).follow(ids, after: after) { update in
            switch update {
            case .event(let event): told.append(event.kind.rawValue)
            case .snapshot(let transfer): told.append("is " + transfer.state.rawValue)
            case .removed: told.append("removed")
            case .interrupted: told.append("interrupted")
            }
        }
        return told
    }

    @Test func `a stream that breaks is subscribed to again after the last durable event`() async throws {
        let service = Self.service(
            [
                Self.breaking(Self.event(5, .submitted), Self.event(nil, .progress, bytes: 3)),
                Self.finishing(Self.event(5, .submitted), Self.event(6, .succeeded, Self.one, .succeeded)),
            ], known: [Self.transfer(Self.one, .running)])
        #expect(
            try await follow(service, [Self.one], after: 4)
                == ["submitted", "progress", "interrupted", "is running", "succeeded"])
        #expect(service.subscriptions.map(\.after) == [4, 5])
        #expect(service.subscriptions.map(\.endsWithTransfers) == [true, true])
    }

    @Test func `an end without an event is found by asking`() async throws {
        let service = Self.service([Self.breaking()], known: [Self.transfer(Self.one, .failed)])
        #expect(try await follow(service, [Self.one], after: 4) == ["interrupted", "is failed"])
    }

    @Test func `a transfer that is gone afterwards was removed`() async throws {
        let service = Self.service([Self.breaking()])
        #expect(try await follow(service, [Self.one], after: 4) == ["interrupted", "removed"])
    }

    @Test func `without a position the transfers are looked at first`() async throws {
        let service = Self.service(
            [Self.finishing(Self.event(11, .canceled, Self.two, .canceled))],
            known: [Self.transfer(Self.one, .succeeded), Self.transfer(Self.two, .running)])
        #expect(
            try await follow(service, [Self.one, Self.two], after: nil) == ["is succeeded", "is running", "canceled"])
        #expect(service.subscriptions.map(\.ids) == [[Self.two]])
    }

    @Test func `an unknown id is an error at the start`() async {
        await #expect(throws: ServiceError.self) { try await follow(Self.service([]), [Self.one], after: nil) }
    }

    @Test func `daemons that end without progress are given up after five in a row`() async throws {
        let service = Self.service([], known: [Self.transfer(Self.one, .running)])
        let error = await #expect(throws: ServiceError.self) { _ = try await follow(service, [Self.one], after: 4) }
        #expect(error?.code == .daemonUnreachable)
        #expect(service.subscriptions.count == TransferFollower.maximumFailures + 1)
    }

    @Test func `progress sets the count of broken streams back`() async throws {
        let scripts = (1...12).map { Self.breaking(Self.event(nil, .progress, bytes: $0)) }
        let service = Self.service(
            scripts + [Self.finishing(Self.event(5, .succeeded, Self.one, .succeeded))],
            known: [Self.transfer(Self.one, .running)])
        #expect(try await follow(service, [Self.one], after: 4).last == "succeeded")
    }

    @Test func `events of other transfers and events seen before are left out`() async throws {
        let service = Self.service([
            Self.finishing(
                Self.event(3, .submitted), Self.event(5, .succeeded, Self.two, .succeeded),
                Self.event(6, .removed))
        ])
        #expect(try await follow(service, [Self.one], after: 4) == ["removed"])
    }
}
