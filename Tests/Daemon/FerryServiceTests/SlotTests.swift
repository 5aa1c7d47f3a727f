import FerryCore
@testable import FerryQueue
@testable import FerryService
import FerryTesting
import Foundation
import SeedKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Slots` {
    private static let small = SeededBody(seed: 7, size: 2_000)
    private static let held = OriginScript(small, always: .hold("all", at: .head))

    @Test(arguments: ServiceKind.allCases)
    func `every wait for a slot has its reason`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            let limited = try SessionID("limited")
            _ = try await bed.service.changeSession(limited, to: SessionSettings(activeTransfers: 1))
            try await bed.changeSettings {
                $0.activeTransfers = 3
                $0.connectionsPerHost = 2
            }
            let first = try await bed.add("/1") { $0.session = limited }
            let second = try await bed.add("/2") { $0.session = limited }
            try await bed.wait(for: second.id, waiting: .session)
            let third = try await bed.add("/3")
            let fourth = try await bed.add("/4")
            try await bed.wait(for: fourth.id, waiting: .host)
            for id in [first.id, third.id] { try await bed.wait(for: id, .running) }
            try await bed.changeSettings { $0.activeTransfers = 2 }
            try await bed.wait(for: fourth.id, waiting: .slot)
            bed.origin.release("all")
            for id in [first, second, third, fourth].map(\.id) { try await bed.wait(for: id, .succeeded) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L4 one host gets no more than its connections, and another is not held up`(_ kind: ServiceKind) async throws {
        try await withService(kind, Self.held) { bed in
            try await withOrigin(Self.held) { other in
                try await bed.changeSettings { $0.connectionsPerHost = 2 }
                let transfers = try await bed.add((0..<5).map { bed.request("/\($0)") })
                let foreign = try await bed.add([bed.request(other.url("/x"))])[0]
                try await bed.wait(for: foreign.id, .running)
                await bed.origin.wait { $0.held.count == 2 }
                for transfer in transfers[2...] { try await bed.wait(for: transfer.id, waiting: .host) }
                #expect(bed.origin.requests.count == 2)
                bed.origin.release("all")
                for transfer in transfers { try await bed.wait(for: transfer.id, .succeeded) }
                // A response counts until its connection is free again, which its client need not wait for.
                #expect(bed.origin.facts.mostActiveResponses <= 4)
                other.release("all")
                try await bed.wait(for: foreign.id, .succeeded)
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L5 priority, alternating sessions, the oldest, and each eighth start the oldest of all`(
        _ kind: ServiceKind
    ) async throws {
        let script = OriginScript(Self.small, .on(.path("/first"), .hold("first", at: .head)))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let first = try await bed.add("/first")
            await bed.origin.waitForHold("first")
            let (one, two, three) = (try SessionID("one"), try SessionID("two"), try SessionID("three"))
            let line: [(String, SessionID, Priority)] = [
                ("/low", three, .low), ("/a1", one, .normal), ("/a2", one, .normal), ("/a3", one, .normal),
                ("/a4", one, .normal), ("/b1", two, .normal), ("/b2", two, .normal), ("/high", one, .high),
                ("/a5", one, .normal),
            ]
            let transfers = try await bed.add(
                line.map { path, session, priority in
                    bed.request(path) {
                        $0.session = session
                        $0.timing.priority = priority
                    }
                })
            bed.origin.release("first")
            for transfer in [first] + transfers { try await bed.wait(for: transfer.id, .succeeded) }
            #expect(
                bed.asked == ["/first", "/high", "/b1", "/a1", "/b2", "/a2", "/a3", "/low", "/a4", "/a5"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L5 a changed priority changes the place in the queue`(_ kind: ServiceKind) async throws {
        let script = OriginScript(Self.small, .on(.path("/first"), .hold("first", at: .head)))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.add("/first")
            await bed.origin.waitForHold("first")
            let transfers = try await bed.add(["/a", "/b", "/c"].map { bed.request($0) })
            var high = TransferChange()
            high.priority = .high
            _ = try await bed.service.change(transfers[2].id, high)
            var low = TransferChange()
            low.priority = .low
            _ = try await bed.service.change(transfers[0].id, low)
            bed.origin.release("first")
            for transfer in transfers { try await bed.wait(for: transfer.id, .succeeded) }
            #expect(bed.asked == ["/first", "/c", "/b", "/a"])
        }
    }

    /// After any sequence of pauses, resumes, cancels and completions, as many transfers run as allowed.
    @Test(arguments: ServiceKind.allCases)
    func `L6 no slot is idle while eligible work waits`(_ kind: ServiceKind) async throws {
        let rules = (0..<30).map { OriginRule.on(.path("/\($0)"), .hold("\($0)", at: .head)) }
        try await withService(kind, OriginScript(Self.small, rules: rules)) { bed in
            let slots = 3
            try await bed.changeSettings { $0.activeTransfers = slots }
            let transfers = try await bed.add((0..<30).map { bed.request("/\($0)") })
            var numbers = SplitMix(seed: 11)
            for step in 0..<60 {
                let index = Int.random(in: 0..<30, using: &numbers)
                let id = transfers[index].id
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0...2: try await bed.act(.pause, id)
                case 3...5: try await bed.act(.resume, id)
                case 6: try await bed.act(.cancel, id)
                default: bed.origin.release("\(index)")
                }
                try await eventually("step \(step)") {
                    let counts = try await bed.service.status().transfers
                    let eligible = (counts["waiting"] ?? 0) + (counts["running"] ?? 0)
                    return counts["running"] == min(slots, eligible)
                }
                // The origin learns a little later of a connection that is closed.
                await bed.origin.wait { $0.activeResponses <= slots }
            }
            for index in 0..<30 { bed.origin.release("\(index)") }
            _ = try await bed.service.act(.resume, on: TransferSelection())
            try await eventually("the end") {
                let counts = try await bed.service.status().transfers
                return (counts["succeeded"] ?? 0) + (counts["canceled"] ?? 0) == 30
            }
        }
    }

    @Test func `a transfer that is live takes no second slot, nor one of another`() async throws {
        let script = OriginScript(Self.small, .on(.path("/held"), .hold("first", at: .body(50))))
        try await withStoredService(script) { bed, local in
            try await bed.changeSettings { $0.activeTransfers = 2 }
            let held = try await bed.add("/held").id
            try await bed.wait(for: held, received: 50)
            #expect(await local.lineUpAgain(held))
            try await bed.wait(for: try await bed.add("/other").id, .succeeded)
            bed.origin.release("first")
            try await bed.wait(for: held, .succeeded)
            try await eventually("rest") { await local.isAtRest }
            #expect(bed.asked == ["/held", "/other"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `many small transfers all end under pauses and resumes of all`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.small)) { bed in
            let transfers = try await bed.add((0..<200).map { bed.request("/\($0)") })
            for _ in 0..<5 {
                _ = try await bed.service.act(.pause, on: TransferSelection())
                _ = try await bed.service.act(.resume, on: TransferSelection())
            }
            try await eventually("the end") {
                try await bed.service.status().transfers["succeeded"] == transfers.count
            }
            #expect(bed.files.count == transfers.count)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `L7 a disk without room is waited for`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(SeededBody(seed: 8, size: 2_000_000))) { bed in
            try await bed.changeSettings { $0.reserve = Int64.max / 2 }
            let id = try await bed.add().id
            let waiting = try await bed.wait(for: id, waiting: .disk)
            #expect(waiting.error?.code == .diskFull && waiting.times.nextAttempt != nil && waiting.bytesReceived == 0)
            #expect(bed.files.count <= 1)
            try await bed.changeSettings { $0.reserve = 0 }
            try await bed.wait(for: id, .succeeded)
        }
    }
}

extension LocalTransferService {
    /// Whether no transfer runs or waits for a slot.
    fileprivate var isAtRest: Bool { queue.running.isEmpty && queue.waitingTransfers.count == 0 }

    /// Queues a running transfer.
    fileprivate func lineUpAgain(_ id: TransferID) -> Bool {
        guard let record = queue.running.record(of: id), let key = queue.running.key(of: id),
            let line = StoredQueueKey(record, origin: key.origin)
        else { return false }
        queue.take(.stored([(line, [id])]))
        return true
    }
}
