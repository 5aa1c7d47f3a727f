import FerryCore
import FerryQueue
import Testing

@Suite struct `Limits of slots` {
    private let mine = QueueKey(session: .cli, origin: "http://one", priority: .normal)

    private func limits(
        _ running: [QueueKey], sessions: [SessionID: Int] = [:], held: Set<String> = [],
        _ change: (inout ServiceSettings) -> Void = { _ in }
    ) -> SlotLimits {
        var settings = ServiceSettings()
        change(&settings)
        return SlotLimits(settings: settings, sessionLimits: sessions, running: running, throttledOrigins: held)
    }

    @Test func `nothing hinders the first`() {
        #expect(limits([]).obstacle(mine) == nil && !limits([]).isFull)
    }

    @Test(arguments: [(16, 128, 16), (20, 5, 5), (1, 1, 1)])
    func `L6 all slots are taken at the smaller of both limits`(transfers: Int, connections: Int, slots: Int) {
        let others = (0..<slots).map { QueueKey(session: .cli, origin: "http://\($0)", priority: .low) }
        func change(_ settings: inout ServiceSettings) {
            settings.activeTransfers = transfers
            settings.connectionsTotal = connections
        }
        #expect(limits(others.dropLast(), change).obstacle(mine) == nil)
        let full = limits(others, change)
        #expect(full.isFull && full.obstacle(mine) == .slot)
    }

    @Test func `L4 a host has its allowance over all sessions and priorities`() throws {
        let other = QueueKey(session: try SessionID("other"), origin: "http://one", priority: .high)
        func change(_ settings: inout ServiceSettings) { settings.connectionsPerHost = 2 }
        #expect(limits([other], change).obstacle(mine) == nil)
        #expect(limits([other, mine], change).obstacle(mine) == .host)
        var elsewhere = mine
        elsewhere.origin = "http://two"
        #expect(limits([other, mine], change).obstacle(elsewhere) == nil)
    }

    @Test func `L4 a file that is only being placed has a slot and no connection to its host`() {
        func obstacle(running: Int, placing: Int) -> WaitReason? {
            var limits = limits(Array(repeating: mine, count: running)) {
                ($0.connectionsPerHost, $0.activeTransfers) = (1, 2)
            }
            for _ in 0..<placing { limits.takeSlot(mine) }
            return limits.obstacle(mine)
        }
        #expect(obstacle(running: 0, placing: 1) == nil)
        #expect(obstacle(running: 1, placing: 0) == .host)
        #expect(obstacle(running: 0, placing: 2) == .slot)
    }

    @Test func `33 a session has an allowance of its own for each host`() throws {
        let session = try SessionID("other")
        let theirs = QueueKey(session: session, origin: "http://one", priority: .normal)
        func obstacle(_ key: QueueKey, running: [QueueKey]) -> WaitReason? {
            SlotLimits(
                settings: ServiceSettings(), sessionLimits: [:], sessionHostLimits: [session: 2], running: running,
                throttledOrigins: []
            ).obstacle(key)
        }
        #expect(obstacle(theirs, running: [theirs, mine]) == nil)
        #expect(obstacle(theirs, running: [theirs, theirs]) == .host)
        #expect(obstacle(mine, running: [theirs, theirs]) == nil)
        var elsewhere = theirs
        elsewhere.origin = "http://two"
        #expect(obstacle(elsewhere, running: [theirs, theirs]) == nil)
    }

    @Test func `a session has a limit of its own below that of all`() throws {
        let session = try SessionID("other")
        let theirs = QueueKey(session: session, origin: "http://two", priority: .normal)
        #expect(limits([theirs], sessions: [session: 1]).obstacle(theirs) == .session)
        #expect(limits([theirs], sessions: [session: 1]).obstacle(mine) == nil)
        #expect(limits([theirs], sessions: [session: 2]).obstacle(theirs) == nil)
    }

    @Test func `T5 an origin that asked for time gets no request`() {
        #expect(limits([], held: ["http://one"]).obstacle(mine) == .server)
        #expect(limits([], held: ["http://two"]).obstacle(mine) == nil)
    }

    @Test func `an admitted transfer counts from then on`() {
        var limits = limits([]) { $0.activeTransfers = 1 }
        limits.add(mine)
        #expect(limits.isFull && limits.obstacle(mine) == .slot)
    }
}
