import FerryCore
import FerryRules
import Foundation
import SeedKit
import Testing

@testable import FerryQueue

@Suite struct `Transfers with a slot` {
    private let a = QueueKey(session: .cli, origin: "https://a.test", priority: .normal)
    private let b = QueueKey(session: .cli, origin: "https://b.test", priority: .normal)

    private func id(_ number: Int) -> TransferID { TransferID(rawValue: UInt64(number)) }

    private func record(_ id: TransferID, url: String = "https://a.test/x") -> TransferRecord {
        TransferRecord(
            id: id, createdAt: Date(timeIntervalSince1970: 1000), request: TransferRequest(url: url, folder: "/f"),
            credentials: nil)
    }

    private func rules(active: Int = 2, perHost: Int = 8, ofSession limit: Int? = nil) -> SlotLimits {
        var settings = ServiceSettings()
        settings.activeTransfers = active
        settings.connectionsPerHost = perHost
        return SlotLimits(
            settings: settings, sessionLimits: limit.map { [.cli: $0] } ?? [:], running: EmptyCollection(),
            throttledOrigins: [])
    }

    @Test func `get no second slot, and have none after their attempt has ended`() {
        var running = Running()
        let isFirst = running.start(id(1), a)
        let isSecond = running.start(id(1), b)
        #expect(isFirst && !isSecond && running.key(of: id(1)) == a)
        #expect(!running.hasRun(id(1)) && running.record(of: id(1)) == nil)
        let changed = running.begin(id(1), record(id(1)))
        #expect(changed == nil && running.hasRun(id(1)) && running.countWithRun(of: .cli) == 1)
        let (next, wasAbandoned) = running.end(id(1), nil)
        #expect(next == nil && !wasAbandoned && running.isEmpty && running.withRun.isEmpty)
    }

    /// Commands during an attempt, and the expected result.
    @Test(
        arguments: [
            ([], true, false), (["excess"], true, false), (["stop"], false, false), (["excess", "stop"], false, false),
            (["stop", "leave"], false, true), (["stop", "leave", "stop"], false, true),
            (["stop", "excess"], false, false),
        ] as [([String], Bool, Bool)])
    func `are tried again unless they were stopped`(commands: [String], isTriedAgain: Bool, isLeft: Bool) {
        var running = Running()
        _ = running.start(id(1), a)
        for command in commands {
            switch command {
            case "stop": running.stop([id(1)])
            case "leave": running.leave([id(1), id(2)])
            default: _ = running.giveExcessBack(of: .cli, SessionSettings(activeTransfers: 0), rank: { _ in .max })
            }
        }
        #expect(running.isStopping(id(1)) == !isTriedAgain)
        let (next, wasAbandoned) = running.end(id(1), NextAttempt(record: record(id(1)), delay: 5, reason: .retry))
        #expect((next != nil) == isTriedAgain && wasAbandoned == isLeft)
        #expect(running.isStopping(id(1)))
    }

    @Test func `follow a request that changes before they have a run, and so does their next attempt`() throws {
        var running = Running()
        _ = running.start(id(1), a)
        var request = record(id(1)).request
        request.timing.priority = .high
        running.follow(id(1), request)
        #expect(running.key(of: id(1))?.priority == .high)
        let changed = running.begin(id(1), record(id(1)))
        #expect(changed == request && running.record(of: id(1))?.request == request)
        let waiting = NextAttempt(record: record(id(1)), delay: 5, reason: .server)
        let same = try #require(running.end(id(1), waiting).next)
        #expect(same.record.request == request && same.delay == 5 && same.reason == .server)
        _ = running.start(id(1), a)
        request.url = "https://b.test/y"
        running.follow(id(1), request)
        let other = try #require(running.end(id(1), waiting).next)
        #expect(other.record.request.url == "https://b.test/y" && other.delay == 0 && other.reason == .retry)
        running.follow(id(1), record(id(1)).request)
        _ = running.start(id(1), a)
        let late = running.begin(id(1), record(id(1)))
        #expect(late == nil)
    }

    @Test func `lend their slot while a name is looked up, once, and go back into line if it is taken then`() {
        var running = Running()
        _ = running.start(id(1), a)
        running.waitsForName(id(1))
        #expect(running.waitingForNames == [id(1)])
        #expect(!running.limits(under: rules(active: 1)).isFull)
        let hasRoom = running.takeSlotBack(id(1), under: rules(active: 1))
        #expect(!hasRoom && running.disposition(of: id(1)) == .continues)
        #expect(running.limits(under: rules(active: 1)).isFull)
        running.waitsForName(id(1))
        _ = running.start(id(2), b)
        let isOver = running.takeSlotBack(id(1), under: rules(active: 1))
        #expect(isOver && running.disposition(of: id(1)) == .yieldsSlot)
        _ = running.end(id(1), nil)
        _ = running.start(id(1), a)
        running.waitsForName(id(1))
        #expect(running.waitingForNames == [])
        let isKept = !running.takeSlotBack(id(1), under: rules(active: 1))
        #expect(isKept && running.disposition(of: id(1)) == .continues)
        // The right to keep a slot ends with the transfer.
        var forgetful = Running()
        _ = forgetful.start(id(1), a)
        _ = forgetful.start(id(2), b)
        _ = forgetful.takeSlotBack(id(1), under: rules(active: 1))
        _ = forgetful.end(id(1), nil)
        forgetful.forget(id(1))
        _ = forgetful.start(id(1), a)
        forgetful.waitsForName(id(1))
        #expect(forgetful.waitingForNames == [id(1)])
    }

    @Test func `need no connection when their bytes are there, and no slot while they are placed together`() {
        var running = Running()
        for number in 1...134 {
            _ = running.start(id(number), a)
            running.becameWhole(id(number), inMemory: true)
        }
        // 128 of them need no slot, and none needs a connection.
        var limits = running.limits(under: rules(active: 7, perHost: 1))
        #expect(!limits.isFull && limits.obstacle(a) == nil)
        limits.takeSlot(b)
        #expect(limits.isFull)
        // If the session has a limit, each of them counts.
        #expect(running.limits(under: rules(active: 134, ofSession: 140)).isFull)
        running.becameWhole(id(1), inMemory: false)
        #expect(!running.limits(under: rules(active: 7)).isFull)
        _ = running.start(id(135), a)
        #expect(running.limits(under: rules(active: 99, perHost: 1)).obstacle(a) == .host)
    }

    @Test func `of a session are sent back, the last by priority and order, as many as are over its limits`() {
        var running = Running()
        let high = QueueKey(session: .cli, origin: "https://a.test", priority: .high)
        for (number, key) in [(1, a), (2, a), (3, b), (4, high), (5, a)] { _ = running.start(id(number), key) }
        running.stop([id(5)])
        let rank: (TransferID) -> Int = { $0.rawValue == 3 ? 0 : .max }
        let none = running.giveExcessBack(of: .cli, SessionSettings(activeTransfers: 4), rank: rank)
        #expect(none == [])
        let two = running.giveExcessBack(of: .cli, SessionSettings(activeTransfers: 3, hostConnections: 2), rank: rank)
        #expect(two == [id(2)])
        let all = running.giveExcessBack(of: .cli, SessionSettings(activeTransfers: 1), rank: rank)
        #expect(all == [id(1), id(3)] && running.disposition(of: id(4)) == .continues)
    }

    @Test func `have many small files of an origin once eight have followed each other and eight are to come`() {
        var running = Running()
        for _ in 0..<7 { running.note(1000, of: "a") }
        #expect(!running.hasManySmallFiles("a", waiting: 8))
        running.note(1000, of: "a")
        #expect(running.hasManySmallFiles("a", waiting: 8) && !running.hasManySmallFiles("a", waiting: 7))
        #expect(!running.hasManySmallFiles("b", waiting: 8))
        running.note(5 << 20, of: "a")
        #expect(!running.hasManySmallFiles("a", waiting: 8))
    }

    @Test func `have small responses to expect once the last eight files of an origin had at most 64 KiB`() {
        var running = Running()
        for _ in 0..<7 { running.note(64 << 10, of: "a") }
        #expect(!running.hasTinyFiles("a"))
        running.note(0, of: "a")
        #expect(running.hasTinyFiles("a") && !running.hasTinyFiles("b"))
        running.note(64 << 10 + 1, of: "a")
        #expect(!running.hasTinyFiles("a"))
    }
}

@Suite struct `Slots beside plain flags` {
    /// A transfer with a slot, as independent flags.
    private struct Flags {
        let key: QueueKey
        var hasRun = false
        var isStopping = false
        var isLeft = false
        var isExcess = false
        var isWhole = false
        var isInMemory = false
        var waitsForName = false
        let keepsSlot: Bool

        var lendsSlot: Bool { waitsForName && !keepsSlot && !isWhole }
    }

    private static let keys = ["https://a.test", "https://b.test"].map {
        QueueKey(session: .cli, origin: $0, priority: .normal)
    }

    private static func rules(_ active: Int) -> SlotLimits {
        var settings = ServiceSettings()
        settings.activeTransfers = active
        settings.connectionsPerHost = 3
        return SlotLimits(settings: settings, sessionLimits: [:], running: EmptyCollection(), throttledOrigins: [])
    }

    /// Returns the obstacle for one more transfer with a key, counted from the flags.
    private static func obstacle(
        _ key: QueueKey, _ flags: some Collection<Flags>, active: Int
    ) -> WaitReason? {
        let counted = flags.filter { !$0.lendsSlot && !$0.isInMemory }
        if counted.count >= active { return .slot }
        return counted.count { !$0.isWhole && $0.key.origin == key.origin } >= 3 ? .host : nil
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `say the same, whatever happens`(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var running = Running()
        var flags: [TransferID: Flags] = [:]
        var keepers: Set<TransferID> = []
        for _ in 0..<500 {
            let id = TransferID(rawValue: .random(in: 1...8, using: &numbers))
            let record = TransferRecord(
                id: id, createdAt: .distantPast, request: TransferRequest(url: "https://a.test/x", folder: "/f"),
                credentials: nil)
            switch Int.random(in: 0...9, using: &numbers) {
            case 0, 1, 2:
                let key = Self.keys[Int.random(in: 0...1, using: &numbers)]
                let isStarted = running.start(id, key)
                #expect(isStarted == (flags[id] == nil))
                if isStarted { flags[id] = Flags(key: key, keepsSlot: keepers.remove(id) != nil) }
            case 3:
                _ = running.begin(id, record)
                flags[id]?.hasRun = true
            case 4:
                running.stop([id])
                flags[id]?.isStopping = true
            case 5:
                // An action gets its response only after it has requested the stop.
                guard flags[id]?.isStopping == true else { continue }
                running.leave([id])
                flags[id]?.isLeft = true
            case 6:
                let inMemory = Bool.random(using: &numbers)
                running.becameWhole(id, inMemory: inMemory)
                flags[id]?.isWhole = true
                flags[id]?.isInMemory = inMemory
            case 7:
                running.waitsForName(id)
                flags[id]?.waitsForName = true
            case 8:
                let active = Int.random(in: 1...4, using: &numbers)
                let stops = running.takeSlotBack(id, under: Self.rules(active))
                flags[id]?.waitsForName = false
                guard let own = flags[id], !own.isStopping, !own.isExcess, !own.keepsSlot else {
                    #expect(!stops)
                    continue
                }
                let others = flags.filter { $0.key != id }.values
                #expect(stops == (Self.obstacle(own.key, others, active: active) != nil))
                if stops {
                    flags[id]?.isExcess = true
                    keepers.insert(id)
                }
            default:
                let (next, wasAbandoned) = running.end(id, NextAttempt(record: record, delay: 0, reason: .slot))
                let old = flags.removeValue(forKey: id)
                #expect((next != nil) == (old?.isStopping == false) && wasAbandoned == (old?.isLeft ?? false))
            }
            #expect(Set(running.ids) == Set(flags.keys))
            #expect(running.withRun == Set(flags.filter(\.value.hasRun).keys))
            #expect(Set(running.waitingForNames) == Set(flags.filter(\.value.lendsSlot).keys))
            for (id, own) in flags {
                let disposition: Running.Disposition =
                    own.isLeft ? .isAbandoned : own.isStopping ? .stops : own.isExcess ? .yieldsSlot : .continues
                #expect(running.disposition(of: id) == disposition && running.isStopping(id) == own.isStopping)
            }
            for active in 1...8 {
                let limits = running.limits(under: Self.rules(active))
                for key in Self.keys {
                    #expect(limits.obstacle(key) == Self.obstacle(key, flags.values, active: active))
                }
            }
        }
    }

    // MARK: Small files at a time

    private func limits(_ running: Running, _ settings: ServiceSettings) -> SlotLimits {
        running.limits(
            under: SlotLimits(settings: settings, sessionLimits: [:], running: [], throttledOrigins: []))
    }

    /// Returns transfers of one origin whose small files end in groups, each as long after the last as a round trip.
    private func grown(_ settings: ServiceSettings, places: Int) -> Running {
        var running = Running()
        let start = ContinuousClock.now
        running.note(places: places, of: origin)
        for number in 0..<100 {
            let count = limits(running, settings).capacity(of: key(.cli))
            running.filesEnded(
                Array(repeating: (TransferID(rawValue: 1), 1000), count: count), of: origin, isBusy: true, settings,
                at: start + .milliseconds(100 * number))
        }
        return running
    }

    private func key(_ session: SessionID) -> QueueKey { QueueKey(session: session, origin: origin, priority: .normal) }

    private var origin: String { "https://small.example:443" }

    @Test func `are as many small files as the server takes, and take slots only as far as others do`() {
        let settings = ServiceSettings()
        #expect(limits(grown(settings, places: 1), settings).capacity(of: key(.cli)) == 16)
        #expect(limits(grown(settings, places: 64), settings).capacity(of: key(.cli)) == 64)
        #expect(limits(grown(settings, places: 1000), settings).capacity(of: key(.cli)) == 100)
        // Eight of them have slots. Eight are left for others.
        var full = limits(grown(settings, places: 64), settings)
        for _ in 0..<64 { full.add(key(.cli)) }
        #expect(!full.isFull)
        for number in 0..<8 {
            let other = QueueKey(session: .cli, origin: "http://\(number)", priority: .normal)
            #expect(full.obstacle(other) == nil)
            full.add(other)
        }
        #expect(full.isFull && full.admitsNone && full.obstacle(key(.cli)) == .slot)
    }

    @Test(arguments: [(2, WaitReason.slot), (3, .host)])
    func `wait for a slot rather than for their host, if both are at their limits`(slots: Int, reason: WaitReason) {
        var change = ServiceSettingsChange()
        (change.activeTransfers, change.connectionsPerHost) = (slots, 2)
        let settings = ServiceSettings().applying(change)
        var limits = limits(grown(settings, places: 64), settings)
        for _ in 0..<2 { limits.add(key(.cli)) }
        #expect(limits.obstacle(key(.cli)) == reason)
    }

    @Test func `are no more small files than settings and sessions allow`() throws {
        var settings = ServiceSettings()
        settings.smallFilesPerHost = 12
        #expect(limits(grown(settings, places: 64), settings).capacity(of: key(.cli)) == 12)
        var change = ServiceSettingsChange()
        change.connectionsPerHost = 4
        settings = ServiceSettings().applying(change)
        #expect(limits(grown(settings, places: 64), settings).capacity(of: key(.cli)) == 4)
        settings = ServiceSettings()
        let rules = SlotLimits(settings: settings, sessionLimits: [.cli: 10], running: [], throttledOrigins: [])
        #expect(grown(settings, places: 64).limits(under: rules).capacity(of: key(.cli)) == 10)
        settings.connectionsTotal = 20
        #expect(limits(grown(settings, places: 64), settings).capacity(of: key(.cli)) == 20)
    }

    @Test func `are as many as usual after a refusal, another file, or other limits`() {
        let settings = ServiceSettings()
        var running = grown(settings, places: 64)
        running.refused(by: origin, at: .now)
        #expect(limits(running, settings).capacity(of: key(.cli)) == 8)
        running = grown(settings, places: 64)
        running.note(1 << 20, of: origin)
        #expect(limits(running, settings).capacity(of: key(.cli)) == 8)
        running = grown(settings, places: 64)
        running.limitsChanged()
        #expect(limits(running, settings).capacity(of: key(.cli)) == 8)
    }
}

extension Running {
    /// Records a received file of an origin for which nothing waits.
    fileprivate mutating func note(_ size: Int64, of origin: String) {
        filesEnded([(TransferID(rawValue: 1), size)], of: origin, isBusy: false, ServiceSettings(), at: .now)
    }
}

extension SlotLimits {
    /// Returns how many transfers with a key may run at a time.
    fileprivate func capacity(of key: QueueKey) -> Int {
        var limits = self
        var count = 0
        while limits.obstacle(key) == nil {
            limits.add(key)
            count += 1
        }
        return count
    }
}
