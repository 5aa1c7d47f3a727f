import FerryCore
import FerryRules
import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Changed conditions of transfers`: ConditionSuite {
    private static func change(_ policy: NetworkPolicy) -> TransferChange {
        var change = TransferChange()
        change.network = policy
        return change
    }

    @Test(arguments: ServiceKind.allCases)
    func `71 a changed policy acts at once, on who waits and on who runs`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.cellular = true }
        try await withFarService(kind, conditions, Self.heldOnce) { bed in
            let id = try await bed.add { $0.transport.network = NetworkPolicy(allowsCellular: false) }.id
            try await bed.wait(for: id, waiting: .cellular)
            _ = try await bed.service.change(id, Self.change(NetworkPolicy()))
            try await bed.wait(for: id, received: 100_000)
            _ = try await bed.service.change(id, Self.change(NetworkPolicy(allowsCellular: false)))
            try await bed.wait(for: id, waiting: .cellular)
            conditions.set { $0.cellular = false }
            try await bed.wait(for: id, .succeeded)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `G2 a session's policy restricts its requests', on who waits and on who runs`(
        _ kind: ServiceKind
    ) async throws {
        let conditions = FakeConditions { $0.cellular = true }
        try await withFarService(kind, conditions, Self.heldOnce) { bed in
            func set(_ policy: NetworkPolicy?) async throws {
                var settings = SessionSettings(activeTransfers: 2)
                settings.network = policy
                _ = try await bed.service.changeSession(.cli, to: settings)
            }
            let events = try await bed.service.events(EventSubscription())
            let id = try await bed.add().id
            try await bed.wait(for: id, received: 100_000)
            let barred = try await bed.add("/barred") {
                $0.transport.network = NetworkPolicy(allowsCellular: false, waits: true)
            }
            try await bed.wait(for: barred.id, waiting: .cellular)
            try await set(NetworkPolicy(allowsCellular: false))
            let waiting = try await bed.wait(for: id, waiting: .cellular)
            #expect(waiting.bytesReceived == 100_000 && waiting.error == nil)
            let late = try await bed.add("/late").id
            try await bed.wait(for: late, waiting: .cellular)
            try await set(NetworkPolicy())
            for id in [id, late] { try await bed.wait(for: id, .succeeded) }
            try await bed.wait(for: barred.id, waiting: .cellular)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
            for try await event in events where event.transfer?.reason == .cellular { break }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `G2 without a session's policy each request has its own again`(_ kind: ServiceKind) async throws {
        let conditions = FakeConditions { $0.cellular = true }
        try await withFarService(kind, conditions) { bed in
            var settings = SessionSettings()
            settings.network = NetworkPolicy(allowsCellular: false)
            _ = try await bed.service.changeSession(.cli, to: settings)
            let free = try await bed.add("/free").id
            let barred = try await bed.add("/barred") { $0.transport.network = NetworkPolicy(allowsCellular: false) }.id
            // The session's policy waits, regardless of the request's.
            let hurried = try await bed.add("/hurried") { $0.transport.network.waits = false }.id
            for id in [free, barred, hurried] { try await bed.wait(for: id, waiting: .cellular) }
            _ = try await bed.service.changeSession(.cli, to: SessionSettings())
            for id in [free, hurried] { try await bed.wait(for: id, .succeeded) }
            try await bed.wait(for: barred, waiting: .cellular)
            conditions.set { $0.cellular = false }
            try await bed.wait(for: barred, .succeeded)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `72 constrained is a setting`(_ kind: ServiceKind) async throws {
        try await withFarService(kind, FakeConditions()) { bed in
            #expect(try await bed.service.settings().constrained == false)
            try await bed.changeSettings { $0.constrained = true }
            let id = try await bed.add { $0.transport.network = NetworkPolicy(allowsConstrained: false) }.id
            try await bed.wait(for: id, waiting: .constrained)
            try await bed.changeSettings { $0.constrained = false }
            try await bed.wait(for: id, .succeeded)
        }
    }

    @Test func `71 the policy of who waits outlives the daemon`() async throws {
        let conditions = FakeConditions { $0.expensive = true }
        let tweak: Tweak = {
            $0.machine.conditions = conditions
            $0.isLoopback = { _ in false }
        }
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var id: TransferID?
                try await withService(.inProcess, origin, outside, keepsState: true, tweak) { bed in
                    id = try await bed.add { $0.transport.network = NetworkPolicy(allowsExpensive: false) }.id
                }
                let waiting = try #require(id)
                try await withService(.inProcess, origin, outside, keepsState: true, tweak) { bed in
                    try await bed.wait(for: waiting, waiting: .expensive)
                    try await bed.wait(for: bed.add("/other").id, .succeeded)
                    #expect(bed.asked == ["/other"])
                    conditions.set { $0.expensive = false }
                    try await bed.wait(for: waiting, .succeeded)
                }
            }
        }
    }

    // MARK: The file

    @Test(arguments: ServiceKind.allCases)
    func `75 the file that FERRY_CONDITIONS_FILE names replaces all sources`(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { place in
            let file = place.file("conditions.json")
            func write(_ text: String) throws {
                try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            }
            try write(#"{"externalPower": false}"#)
            try await withService(kind, Self.heldOnce, { $0.environment["FERRY_CONDITIONS_FILE"] = file }) { bed in
                let id = try await bed.add { $0.transport.network = Self.strict }.id
                try await bed.wait(for: id, waiting: .power)
                try write("{}")
                try await bed.wait(for: id, received: 100_000)
                try write(#"{"expensive": true, "includesLoopback": true}"#)
                try await bed.wait(for: id, waiting: .expensive)
                try write(#"{"expensive": true}"#)
                try await bed.wait(for: id, .succeeded)
                #expect(bed.ranges() == [nil, "bytes=100000-"])
            }
        }
    }

    // MARK: Others who ask

    @Test func `71 a load can observe why it cannot run`() async throws {
        let conditions = FakeConditions { $0.cellular = true }
        try await withFarService(.inProcess, conditions) { bed in
            let service = try #require(bed.service as? LocalTransferService)
            var reasons = await service.obstacles(to: bed.origin.url("/x"), NetworkPolicy(allowsCellular: false))
                .makeAsyncIterator()
            #expect(await reasons.next() == .some(.cellular))
            conditions.set { $0.reachable = false }
            #expect(await reasons.next() == .some(.network))
            conditions.set {
                $0.reachable = true
                $0.cellular = false
            }
            #expect(await reasons.next() == .some(nil))
            await service.shutdown()
            #expect(await reasons.next() == nil)
        }
    }
}
