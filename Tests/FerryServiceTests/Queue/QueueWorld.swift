import FerryCore
import Foundation

@testable import FerryService

/// A queue among clients, attempts, clocks and networks that all come from one seed, and what must hold whatever they do.
///
/// What the service would perform is performed here, and what the journal would know is `transfers`.
struct QueueWorld {
    /// A deliberate mistake, as one may be made in the service or in the queue; the laws must find each.
    enum Mistake: CaseIterable {
        case startsWhatIsPaused, forgetsAStop, linesUpWhatRuns, losesADelay, leavesASlotIdle, startsTooMany,
            ignoresTheNetwork
    }

    private enum Wish { case run, rest, ended }

    /// An attempt as the service has it.
    private struct Try {
        var hasRun = false
        var isToStop = false
        var lendsSlot = false
        var isWhole = false
        var isInMemory = false
        var keepsSlot = false
    }

    private struct One {
        var record: TransferRecord
        let origin: String
        var wish = Wish.run
        var attempt: Try?
        /// Whether it has given its slot away once while its host's name was looked up.
        var givesSlotBackForName = false

        /// What the journal says of it.
        var pending: PendingTransfer {
            PendingTransfer(
                id: record.id, session: record.request.session, origin: origin, priority: record.request.priority,
                network: record.request.network, retry: nil, notBefore: record.request.notBefore,
                due: record.due, startsAfterRelaunch: false)
        }
    }

    private var queue: Queue
    private var numbers: SteppedNumbers
    private let mistake: Mistake?
    private let start = ContinuousClock.now
    private var time = 0.0
    private var lastID: UInt64 = 0
    private var transfers: [TransferID: One] = [:]
    private var settings = ServiceSettings()
    private var limits: [SessionID: SessionSettings] = [:]
    private var report = ConditionReport()
    /// What does not hold, with what was done before.
    private(set) var broken: String?
    private(set) var history: [String] = []

    private static let sessions = [SessionID.cli, (try? SessionID("other")) ?? .cli]

    init(seed: UInt64, mistake: Mistake? = nil) {
        numbers = SteppedNumbers(seed: seed)
        self.mistake = mistake
        settings.activeTransfers = 2
        settings.connectionsPerHost = 2
        report.known = [.reachability, .kind, .power]
        queue = Queue(settings, KnownConditions { _ in false }, lookAhead: 60)
    }

    private var moment: Moment {
        Moment(
            clock: start + .seconds(time),
            active: ActiveTime.Instant(
                wall: Date(timeIntervalSince1970: 1_000_000 + time), boot: "b", uptime: 100 + time))
    }

    private func key(_ one: One) -> QueueKey {
        let request = one.record.request
        return QueueKey(
            session: request.session, origin: one.origin, priority: request.priority,
            network: queue.sessions.network(request.network, in: request.session))
    }

    private mutating func oneOf(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    /// One of the transfers for which a condition holds, chosen by the seed.
    private mutating func pick(_ isMeant: (One) -> Bool) -> TransferID? {
        let found = transfers.filter { isMeant($0.value) }.keys.sorted()
        return found.isEmpty ? nil : found[oneOf(found.count)]
    }

    // MARK: Steps

    /// Lets something happen, and then looks whether all that must hold does.
    mutating func step() {
        guard broken == nil else { return }
        switch oneOf(16) {
        case 0, 1, 2: submit()
        case 3: pause()
        case 4: resume()
        case 5, 6, 7: begin()
        case 8, 9: end()
        case 10: wait(Double(1 + oneOf(5)))
        case 11: changeSettings()
        case 12: changeNetworks()
        case 13: progress()
        case 14: oneOf(4) == 0 ? restart() : changePriority()
        default: hold()
        }
        if mistake != .leavesASlotIdle || oneOf(3) > 0 { tell(.look) } else { history.append("no look") }
        check()
    }

    /// Lets everything come to its end.
    mutating func settle() {
        report.conditions = Conditions()
        settings.activeTransfers = 8
        tell(.settings(settings, report))
        for _ in 0..<2000 where broken == nil {
            for (id, one) in transfers.sorted(by: { $0.key < $1.key }) {
                guard let attempt = one.attempt else { continue }
                if attempt.hasRun || queue.running.isStopping(id) { end(id, succeeds: true) } else { begin(id, one) }
            }
            for session in Self.sessions { tell(.answered(session)) }
            time = max(time, queue.lines.nextAlarm.map { ($0 - start) / .seconds(1) } ?? time)
            tell(.alarm)
            check()
            if transfers.values.allSatisfy({ $0.wish != .run && $0.attempt == nil }) { break }
        }
        require(transfers.values.allSatisfy { $0.wish != .run }, "not all come to an end")
        require(queue.running.isEmpty && queue.lines.count == 0, "something is kept")
    }

    private mutating func submit() {
        guard transfers.count < 30 else { return }
        lastID += 1
        let host = ["a", "b"][oneOf(2)]
        var request = TransferRequest(url: "https://\(host).test/\(lastID)", folder: "/f")
        request.session = Self.sessions[oneOf(2)]
        request.priority = oneOf(3) == 0 ? .high : .normal
        request.network.waits = oneOf(4) > 0
        if oneOf(5) == 0 { request.notBefore = moment.wall.addingTimeInterval(Double(oneOf(9))) }
        let record = TransferRecord(
            id: TransferID(rawValue: lastID), createdAt: moment.wall, request: request, credentials: nil)
        let one = One(record: record, origin: "https://\(host).test:443")
        transfers[record.id] = one
        history.append("submit \(record.id)")
        require(queue.sessions.key(record) == key(one), "the origin has another name")
        tell(.pending([one.pending]))
    }

    private mutating func pause() {
        guard let id = pick({ $0.wish == .run }), let record = transfers[id]?.record else { return }
        history.append("pause \(id)")
        transfers[id]?.wish = .rest
        switch mistake {
        case .startsWhatIsPaused: tell(.stop([id]))
        case .forgetsAStop where queue.running.contains(id):
            if transfers[id]?.attempt?.hasRun == true { transfers[id]?.attempt?.isToStop = true }
        default: tell(oneOf(2) == 0 ? .rested(record) : .restedAll([id], record.request.session))
        }
        tell(.turnEnded(id))
    }

    /// An action waits for the end of an attempt that is to stop.
    private mutating func resume() {
        guard let id = pick({ $0.wish == .rest && $0.attempt == nil }), let record = transfers[id]?.record else {
            return
        }
        history.append("resume \(id)")
        transfers[id]?.wish = .run
        tell(.urged(record))
        tell(.resumed(record))
    }

    private mutating func begin() {
        guard let id = pick({ $0.attempt?.hasRun == false }), let one = transfers[id] else { return }
        if queue.running.isStopping(id) { end(id, succeeds: false) } else { begin(id, one) }
    }

    private mutating func begin(_ id: TransferID, _ one: One) {
        history.append("begin \(id)")
        transfers[id]?.attempt?.hasRun = true
        tell(.began(id, one.record))
        if mistake == .linesUpWhatRuns, oneOf(4) == 0 {
            if let line = StoredLine(one.record, origin: one.origin) { tell(.stored([(line, [id])])) }
        }
    }

    private mutating func end() {
        guard let id = pick({ $0.attempt?.hasRun == true }) else { return }
        end(id, succeeds: oneOf(2) == 0)
    }

    private mutating func end(_ id: TransferID, succeeds: Bool) {
        guard let one = transfers[id], let attempt = one.attempt else { return }
        transfers[id]?.attempt = nil
        var next: NextTry?
        if attempt.hasRun, !attempt.isToStop, succeeds {
            transfers[id]?.wish = .ended
            transfers[id]?.givesSlotBackForName = false
            tell(.finished(id, size: 9))
            history.append("success \(id)")
        } else if one.wish == .run || mistake == .forgetsAStop {
            let delay = attempt.isToStop ? 0 : Double(oneOf(9))
            let isAsking = !attempt.isToStop && oneOf(9) == 0
            next = NextTry(
                record: one.record, delay: isAsking ? TransferMachine.untilAnswered : delay,
                reason: isAsking ? .authentication : .retry)
            history.append("\(id) is tried again after \(delay)")
        } else {
            history.append("\(id) has stopped")
        }
        tell(.ended(id, next))
        if mistake == .losesADelay, queue.lines.delay(of: id) != nil {
            tell(.rested(one.record))
        }
        if transfers[id]?.wish == .ended { transfers[id] = nil }
    }

    private mutating func wait(_ seconds: Double) {
        time += seconds
        history.append("\(time)")
        if queue.lines.nextAlarm.map({ $0 <= moment.clock }) == true { tell(.alarm) }
        if oneOf(8) == 0 { for session in Self.sessions { tell(.answered(session)) } }
    }

    private mutating func changeSettings() {
        guard oneOf(2) == 0 else {
            let id = Self.sessions[oneOf(2)]
            var changed = SessionSettings()
            changed.activeTransfers = [nil, 1, 2][oneOf(3)]
            changed.hostConnections = [nil, 1][oneOf(2)]
            changed.inOrder = oneOf(2) == 0
            if oneOf(3) == 0 {
                changed.network = NetworkPolicy()
                changed.network?.allowsExpensive = oneOf(2) == 0
            }
            limits[id] = changed
            history.append("limits of \(id)")
            return tell(.session(id, changed))
        }
        settings.activeTransfers = 1 + oneOf(4)
        settings.connectionsPerHost = 1 + oneOf(3)
        history.append("\(settings.activeTransfers) slots, \(settings.connectionsPerHost) connections")
        var told = settings
        if mistake == .startsTooMany { told.activeTransfers += 1 }
        tell(.settings(told, report))
    }

    private mutating func changeNetworks() {
        report.conditions = Conditions()
        report.conditions.reachable = oneOf(3) > 0
        report.conditions.expensive = oneOf(3) == 0
        history.append("networks \(report.conditions.reachable) \(report.conditions.expensive)")
        tell(.conditions(report))
    }

    /// A run gets on: its name is looked up for long or found, or its bytes are all there.
    private mutating func progress() {
        guard let id = pick({ $0.attempt?.hasRun == true && $0.attempt?.isToStop == false }) else { return }
        switch oneOf(4) {
        case 0:
            history.append("\(id) waits for a name")
            if transfers[id]?.attempt?.isWhole == false, transfers[id]?.attempt?.keepsSlot == false {
                transfers[id]?.attempt?.lendsSlot = true
            }
            tell(.name(id, isSlow: true))
        case 1:
            history.append("\(id) has its name")
            transfers[id]?.attempt?.lendsSlot = false
            tell(.name(id, isSlow: false))
            // Its run was stopped for that reason alone.
            if transfers[id]?.attempt?.isToStop == true { transfers[id]?.givesSlotBackForName = true }
        default:
            let inMemory = oneOf(2) == 0
            history.append("\(id) is whole")
            transfers[id]?.attempt?.isWhole = true
            transfers[id]?.attempt?.isInMemory = inMemory
            transfers[id]?.attempt?.lendsSlot = false
            tell(.whole(id, inMemory: inMemory))
        }
    }

    private mutating func changePriority() {
        guard let id = pick({ $0.wish == .run }), let old = transfers[id]?.record else { return }
        history.append("priority of \(id)")
        var record = old
        record.request.priority = old.request.priority == .high ? .normal : .high
        transfers[id]?.record = record
        tell(.changed(record, replacing: old))
    }

    private mutating func hold() {
        guard let id = pick({ $0.attempt?.hasRun == true }), let url = transfers[id]?.record.request.url,
            let origin = try? HTTPURL(parsing: url).origin
        else { return }
        history.append("\(origin) is held")
        tell(.held(origin, seconds: Double(1 + oneOf(9)), id))
    }

    /// The process is killed: what runs is gone, and the journal says what is to run.
    private mutating func restart() {
        history.append("restart")
        queue = Queue(settings, KnownConditions { _ in false }, lookAhead: 60)
        tell(.recovered(limits.map { ($0.key, $0.value) }))
        for id in transfers.keys {
            transfers[id]?.attempt = nil
            transfers[id]?.givesSlotBackForName = false
        }
        let waiting = transfers.values.filter { $0.wish == .run }.sorted { $0.record.id < $1.record.id }
        tell(.pending(waiting.map(\.pending)))
        tell(.conditions(report))
    }

    // MARK: Effects

    private mutating func tell(_ input: Input) {
        for effect in queue.take(input, at: moment) { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .start(let id, let key): start(id, key)
        case .stop(let id, _):
            if mistake == .ignoresTheNetwork { return }
            if transfers[id]?.attempt?.hasRun == true { transfers[id]?.attempt?.isToStop = true }
        case .fail(let id, _):
            require(transfers[id]?.attempt == nil, "\(id) fails while it runs")
            require(transfers[id]?.record.request.network.waits == false, "\(id) waits for networks, and fails")
            transfers[id] = nil
        case .watch: tell(.conditions(report))
        case .readPolicies(let session):
            let own = transfers.values.map(\.record).filter { $0.request.session == session }
            tell(
                .policies(
                    Dictionary(uniqueKeysWithValues: own.map { ($0.id, $0.request.network) }), session))
        case .rest: require(queue.running.isEmpty, "rest while something runs")
        default: break
        }
    }

    private mutating func start(_ id: TransferID, _ key: QueueKey) {
        history.append("start \(id)")
        guard let one = transfers[id] else { return require(false, "\(id) starts, and is gone") }
        require(one.attempt == nil, "\(id) has two attempts")
        require(one.wish == .run, "\(id) starts, and is to rest")
        let obstacle = obstacle(key)
        require(obstacle == nil, "\(id) starts against \(obstacle.map(\.rawValue) ?? "")")
        transfers[id]?.attempt = Try(keepsSlot: one.givesSlotBackForName)
        transfers[id]?.givesSlotBackForName = false
    }

    // MARK: Laws

    private mutating func require(_ holds: Bool, _ law: String) {
        if !holds, broken == nil { broken = law + "\n" + history.suffix(40).joined(separator: "\n") }
    }

    /// What is in the way of one more of a key, counted from the attempts.
    private func obstacle(_ key: QueueKey) -> WaitReason? {
        let conditions = ConditionRule.obstacle(key.network, report.conditions, isLoopback: false)
        if let conditions { return conditions }
        let counted = transfers.values.filter { one in
            guard let attempt = one.attempt, !attempt.lendsSlot else { return false }
            return !attempt.isInMemory || limits[one.record.request.session]?.activeTransfers != nil
        }
        if counted.count >= settings.activeTransfers { return .slot }
        let ofSession = counted.filter { $0.record.request.session == key.session }
        if let limit = limits[key.session]?.activeTransfers, ofSession.count >= limit { return .session }
        if queue.lines.heldOrigins.contains(key.origin) { return .server }
        let connected = counted.filter {
            $0.attempt?.isWhole == false && $0.origin == key.origin
        }
        if connected.count >= settings.connectionsPerHost { return .host }
        let own = connected.count { $0.record.request.session == key.session }
        if let limit = limits[key.session]?.hostConnections, own >= limit { return .host }
        return nil
    }

    private mutating func check() {
        var inLine: [TransferID: Int] = [:]
        for key in queue.lines.keys {
            for id in queue.lines.waiting(with: key, limit: .max) { inLine[id, default: 0] += 1 }
        }
        for (id, one) in transfers {
            let places =
                inLine[id, default: 0] + (queue.lines.delay(of: id) == nil ? 0 : 1)
                + (queue.running.contains(id) ? 1 : 0)
            require(queue.running.contains(id) == (one.attempt != nil), "\(id) has a slot without an attempt")
            switch one.wish {
            case .run where places != 1: require(false, "\(id) is to run, and stands in \(places) places")
            case .rest where places != (one.attempt == nil ? 0 : 1): require(false, "\(id) rests, and stands in a line")
            default: break
            }
            let isForbidden =
                ConditionRule.obstacle(key(one).network, report.conditions, isLoopback: false)
                != nil
            // What has all bytes needs no network.
            if isForbidden, let attempt = one.attempt, attempt.hasRun, !attempt.isWhole {
                require(attempt.isToStop, "\(id) runs against the networks")
            }
            if let waiting = queue.lines.delay(of: id), waiting.hasEnd {
                require(queue.lines.nextAlarm.map { $0 <= waiting.until } == true, "nothing rings for \(id)")
            }
        }
        require(inLine.keys.allSatisfy { transfers[$0] != nil }, "one that is gone stands in line")
        for key in queue.lines.keys where queue.conditions.isSettled(key) {
            require(obstacle(key) != nil, "a slot is idle, and \(key.origin) waits")
        }
    }
}
