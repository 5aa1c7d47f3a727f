import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

@Suite struct `Leases of sessions` {
    private static let leased = QueueKey(
        session: .cli, origin: "https://a.test:443", priority: .normal, network: NetworkPolicy(needsLease: true))
    private static let free = QueueKey(session: .cli, origin: "https://a.test:443", priority: .normal)

    private func moment(_ seconds: Double) -> Moment { Moment(seconds: seconds) }

    private func record(_ number: UInt64, needsLease: Bool) -> TransferRecord {
        var request = TransferRequest(url: "https://a.test/\(number)", folder: "/f")
        request.transport.network.needsLease = needsLease
        return TransferRecord(
            id: TransferID(rawValue: number), createdAt: Date(timeIntervalSince1970: 1), request: request,
            credentials: nil)
    }

    @Test func `cover transfers that need none, and those of a session that has one`() throws {
        var leases = SessionLeases()
        leases.depend(on: Self.free)
        #expect(!leases.areNeeded && leases.cover(Self.free) && !leases.cover(Self.leased))
        leases.depend(on: Self.leased)
        let isNew = leases.renew(.cli, until: 10)
        #expect(leases.areNeeded && isNew && leases.cover(Self.leased))
        var other = Self.leased
        other.session = try SessionID("other")
        #expect(!leases.cover(other))
    }

    @Test func `are never shortened, and end at their latest end`() {
        var leases = SessionLeases()
        _ = leases.renew(.cli, until: 10)
        let again = leases.renew(.cli, until: 5)
        #expect(!again && leases.end(of: .cli) == 10)
        let early = leases.expire(at: 9.9)
        let due = leases.expire(at: 10)
        let gone = leases.expire(at: 11)
        #expect(early.isEmpty && due == [.cli] && gone.isEmpty && !leases.cover(Self.leased))
    }

    @Test func `let their transfers start, and stop them when they are over`() {
        var queue = Queue(ServiceSettings(), KnownConditions { _ in true }, lookAhead: 60)
        for number in [UInt64(1), 2] {
            _ = queue.take(.eligible(Input.Eligible(record: record(number, needsLease: number == 1))), at: moment(0))
        }
        let first = queue.take(.schedule, at: moment(0))
        #expect(queue.running.ids == [TransferID(rawValue: 2)] && first.started.count <= 1)
        #expect(queue.conditions.obstacle(Self.leased) == .lease && queue.conditions.obstacle(Self.free) == nil)
        let past = queue.take(.lease(.cli, until: 100), at: moment(0))
        #expect(past.started.isEmpty, "that moment has passed")
        let renewed = queue.take(.lease(.cli, until: 110), at: moment(0))
        #expect(renewed.started == [TransferID(rawValue: 1)])
        _ = queue.take(.began(TransferID(rawValue: 1), record(1, needsLease: true)), at: moment(1))
        _ = queue.take(.lease(.cli, until: 120), at: moment(5))
        let early = queue.take(.alarm, at: moment(10))
        #expect(early.stopped.isEmpty)
        let over = queue.take(.alarm, at: moment(20))
        #expect(over.stopped == [TransferID(rawValue: 1)])
    }

    /// The process may have been stopped while its alarm was due.
    @Test func `let nothing start after their end, whichever event comes first`() {
        var queue = Queue(ServiceSettings(), KnownConditions { _ in true }, lookAhead: 60)
        _ = queue.take(.lease(.cli, until: 110), at: moment(0))
        let added = queue.take(.eligible(Input.Eligible(record: record(1, needsLease: true))), at: moment(11))
        let late = queue.take(.schedule, at: moment(11))
        #expect(added.started.isEmpty && late.started.isEmpty)
    }
}

extension Moment {
    /// Seconds after a start at 100 s of uptime.
    fileprivate init(seconds: Double) {
        self.init(
            clock: Self.start + .milliseconds(Int(seconds * 1000)),
            active: .init(wall: Date(timeIntervalSince1970: 1_000_000 + seconds), boot: "b", uptime: 100 + seconds))
    }

    private static let start = ContinuousClock.now
}
