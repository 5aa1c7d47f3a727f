import FerryCore
@testable import FerryService
import FerryQueue
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Conditions of transfers`: ConditionSuite {
    // MARK: Waiting

    @Test(arguments: [WaitReason.network, .cellular, .expensive, .constrained, .power], ServiceKind.allCases)
    func `71 74 a forbidden transfer waits, says why, and starts by itself`(
        _ reason: WaitReason, _ kind: ServiceKind
    ) async throws {
        let conditions = FakeConditions { Self.worsen(&$0, reason) }
        try await withFarService(kind, conditions) { bed in
            let id = try await bed.add { $0.transport.network = Self.strict }.id
            let waiting = try await bed.wait(for: id, waiting: reason)
            #expect(waiting.attempts == 0 && bed.asked == [])
            let free = try await bed.add("/other").id
            if reason == .network {
                try await bed.wait(for: free, waiting: .network)
            } else {
                try await bed.wait(for: free, .succeeded)
            }
            conditions.set { Self.worsen(&$0, reason, false) }
            try await bed.wait(for: id, .succeeded)
            #expect(bed.asked.filter { $0 == "/file.bin" }.count == 1)
        }
    }

    @Test(arguments: [WaitReason.network, .cellular, .expensive, .constrained, .power], ServiceKind.allCases)
    func `71 74 a running transfer stops when it is forbidden and resumes from its last byte`(
        _ reason: WaitReason, _ kind: ServiceKind
    ) async throws {
        let conditions = FakeConditions()
        try await withFarService(kind, conditions, Self.heldOnce) { bed in
            let id = try await bed.add { $0.transport.network = Self.strict }.id
            try await bed.wait(for: id, received: 100_000)
            conditions.set { Self.worsen(&$0, reason) }
            let waiting = try await bed.wait(for: id, waiting: reason)
            #expect(waiting.bytesReceived == 100_000 && waiting.error == nil)
            conditions.set { Self.worsen(&$0, reason, false) }
            let done = try await bed.wait(for: id, .succeeded)
            #expect(done.startedOver == 0)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `71 listeners are notified when the reason of waiting transfers changes`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.cellular = true }
        try await withFarService(kind, conditions) { bed in
            let events = try await bed.service.events(EventSubscription())
            let id = try await bed.add { $0.transport.network = Self.strict }.id
            try await bed.wait(for: id, waiting: .cellular)
            conditions.set { $0.reachable = false }
            for try await event in events where event.transfer?.reason == .network {
                #expect(event.id == id && event.kind == .waiting)
                break
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `nothing starts before it is known what the network is like`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.expensive = true }
        conditions.keepSilent()
        try await withFarService(kind, conditions) { bed in
            let id = try await bed.add { $0.transport.network = NetworkPolicy(allowsExpensive: false, waits: false) }.id
            let other = try await bed.add("/other").id
            let states = try await [bed.service.transfer(id).state, bed.service.transfer(other).state]
            #expect(states == [.waiting, .waiting] && bed.asked == [])
            conditions.answer()
            #expect(try await bed.wait(for: id, .failed).error?.details.network == .expensive)
            try await bed.wait(for: other, .succeeded)
            #expect(bed.asked == ["/other"])
        }
    }

    // MARK: Those who do not wait

    @Test(
        arguments: [(.network, nil), (.cellular, .cellular), (.expensive, .expensive), (.constrained, .constrained)]
            as [(WaitReason, WaitReason?)], ServiceKind.allCases)
    func `71 a transfer that does not wait fails as offline and names the rule`(
        _ row: (reason: WaitReason, network: WaitReason?), _ kind: ServiceKind
    ) async throws {
        let conditions = FakeConditions { Self.worsen(&$0, row.reason) }
        try await withFarService(kind, conditions) { bed in
            var policy = Self.strict
            policy.waits = false
            let requests = (0..<3).map { bed.request("/\($0)") { $0.transport.network = policy } }
            for transfer in try await bed.add(requests) {
                let error = try await bed.wait(for: transfer.id, .failed).error
                #expect(error?.code == .offline && error?.details.network == row.network)
                #expect(error?.details.urlError == -1009)
            }
            #expect(bed.asked == [])
        }
    }

    @Test func `71 a transfer that does not wait fails later where the journal has no room`() async throws {
        let conditions = FakeConditions()
        try await withFarService(.inProcess, conditions, Self.heldOnce, { $0.openJournal = openSQLiteInMemory }) {
            bed in
            let local = try #require(bed.service as? LocalTransferService)
            try await bed.changeSettings { $0.activeTransfers = 1 }
            try await bed.wait(for: try await bed.add("/held").id, received: 100_000)
            let policy = NetworkPolicy(allowsExpensive: false, waits: false)
            let waiting = try await bed.add((0..<300).map { bed.request("/\($0)") { $0.transport.network = policy } })
            try await withoutRoom(local) {
                conditions.set { $0.expensive = true }
                try await eventually("a full journal") { await !local.waitingTransfers.waiting(for: .disk).isEmpty }
            }
            for transfer in waiting { #expect(try await bed.wait(for: transfer.id, .failed).error?.code == .offline) }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `71 a running transfer that does not wait fails and keeps its bytes`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions()
        try await withFarService(kind, conditions, Self.heldOnce) { bed in
            let id = try await bed.add { $0.transport.network = NetworkPolicy(allowsExpensive: false, waits: false) }.id
            try await bed.wait(for: id, received: 100_000)
            conditions.set { $0.expensive = true }
            let failed = try await bed.wait(for: id, .failed)
            #expect(failed.error?.code == .offline && failed.error?.details.network == .expensive)
            let patient = try await bed.add("/other") { $0.transport.network = NetworkPolicy(allowsExpensive: false) }
                .id
            conditions.set { $0.expensive = false }
            // The service receives the change asynchronously. A retry before that fails again.
            try await bed.wait(for: patient, .succeeded)
            try await bed.act(.retry, id)
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `74 power is waited for also by who does not wait for networks`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.externalPower = false }
        try await withFarService(kind, conditions) { bed in
            let id = try await bed.add { $0.transport.network = NetworkPolicy(isDiscretionary: true, waits: false) }.id
            try await bed.wait(for: id, waiting: .power)
            conditions.set { $0.externalPower = true }
            try await bed.wait(for: id, .succeeded)
        }
    }

    // MARK: Networks that come up

    @Test(arguments: ServiceKind.allCases)
    func `73 when a network comes up all waiting retries start at once`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.uplinks = [1] }
        let script = OriginScript(Self.body, .on(.requests(1...4), .status(500)))
        try await withFarService(kind, conditions, script, { $0.delayScale = 1000 }) { bed in
            let transfers = try await bed.add((1...2).map { bed.request("/\($0)") })
            for transfer in transfers { try await bed.wait(for: transfer.id, waiting: .retry) }
            conditions.set {
                $0.uplinks = []
                $0.reachable = false
            }
            let third = try await bed.add("/3") { $0.transport.network.allowsCellular = false }.id
            try await bed.wait(for: third, waiting: .network)
            conditions.set {
                $0.uplinks = [2]
                $0.cellular = true
                $0.reachable = true
            }
            for transfer in transfers {
                try await bed.wait(for: transfer.id, "two tries") { $0.attempts == 2 && $0.reason == .retry }
            }
            // A second network in addition to the existing one.
            conditions.set { $0.uplinks = [2, 3] }
            for transfer in transfers { try await bed.wait(for: transfer.id, .succeeded) }
            try await bed.wait(for: third, waiting: .cellular)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `73 a server's Retry-After keeps its time`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions()
        let script = OriginScript(Self.body, .on(.path("/later"), .status(503, retryAfter: "3600")))
        try await withFarService(kind, conditions, script, { $0.delayScale = 1 }) { bed in
            let id = try await bed.add("/later").id
            try await bed.wait(for: id, waiting: .server)
            try await withOrigin(OriginScript(Self.body)) { other in
                conditions.set { $0.reachable = false }
                let next = try await bed.add([bed.request(other.url("/x"))])[0]
                try await bed.wait(for: next.id, waiting: .network)
                conditions.set { $0.reachable = true }
                try await bed.wait(for: next.id, .succeeded)
            }
            try await bed.wait(for: id, waiting: .server)
            #expect(bed.asked == ["/later"])
        }
    }

    // MARK: This machine

    @Test(arguments: ServiceKind.allCases)
    func `73 hosts on this machine are never restricted and never watched for`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions {
            $0.reachable = false
            $0.cellular = true
            $0.expensive = true
            $0.constrained = true
        }
        try await withService(kind, OriginScript(Self.body), { $0.machine.conditions = conditions }) { bed in
            var policy = Self.strict
            policy.isDiscretionary = false
            policy.waits = false
            try await bed.wait(for: bed.add { $0.transport.network = policy }.id, .succeeded)
            #expect(conditions.watched == [])
            conditions.set { $0.externalPower = false }
            let id = try await bed.add("/other") { $0.transport.network = Self.strict }.id
            try await bed.wait(for: id, waiting: .power)
            #expect(conditions.watched == .power)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `power is looked at only while a transfer depends on it`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.externalPower = false }
        let script = OriginScript(Self.body, always: .hold("all", at: .head))
        try await withFarService(kind, conditions, script) { bed in
            let plain = try await bed.add("/plain").id
            try await bed.wait(for: plain, .running)
            #expect(conditions.watched == .reachability && conditions.pace == nil)
            let id = try await bed.add { $0.transport.network = NetworkPolicy(isDiscretionary: true) }.id
            try await bed.wait(for: id, waiting: .power)
            try await eventually("slow looks") { conditions.pace == 15 }
            conditions.set { $0.externalPower = true }
            try await bed.wait(for: id, .running)
            #expect(conditions.pace == 3)
            bed.origin.release("all")
            try await bed.wait(for: id, .succeeded)
            try await eventually("no looks") { conditions.pace == nil }
        }
    }
}
