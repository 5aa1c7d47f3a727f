import SeedKit

@testable import FerryEngine

/// A mistake that the owner of a pool could make, to show that the laws find it.
enum PoolMistake: CaseIterable {
    /// Closed connections are not reported.
    case ignoresCloses
    /// Requests are assigned in the order of their numbers, the newest first.
    case servesNewestFirst
    /// A server's limit is taken for one more than it is.
    case exceedsLimits
    /// Connections that cannot be reused are used again.
    case reusesUsedUp
    /// A request that a connection did not take is dropped.
    case losesRefused
    /// Idle connections are never closed.
    case keepsIdle
    /// Nobody hears of a connection that could not be opened.
    case losesFailures
}

/// A world of servers and requests around one pool. Checks after each step that the pool's decisions can be performed.
struct PoolWorld {
    private enum Phase { case opening, open, draining }

    private struct Server {
        var phase = Phase.opening
        var isHTTP2 = false
        var limit = 1
        var used = 0
        var idleSince = 0.0
    }

    typealias ConnectionID = ConnectionPool.ConnectionID
    typealias RequestID = ConnectionPool.RequestID

    private var pool: ConnectionPool
    private let isFresh: Bool
    private let mistake: PoolMistake?
    private var dice: SplitMix
    private var servers: [ConnectionID: Server] = [:]
    /// Decided and not performed.
    private var actions: [ConnectionPool.Action] = []
    private var isPerforming = false
    /// Oldest first.
    private var waiting: [RequestID] = []
    /// Requests that a connection did not take. Others may have been assigned meanwhile.
    private var refused: Set<RequestID> = []
    private var refusers: Set<ConnectionID> = []
    private var taken: [RequestID: ConnectionID] = [:]
    private var requests = 0
    /// Requests that have ended in any way.
    private var over = 0
    private var now = 0.0
    /// The first violated law.
    private(set) var violation: String?

    init(seed: UInt64, mistake: PoolMistake? = nil) {
        dice = SplitMix(seed: seed)
        isFresh = Int.random(in: 0..<8, using: &dice) == 0
        pool = ConnectionPool(offersHTTP2: Bool.random(using: &dice), isFresh: isFresh)
        self.mistake = mistake
    }

    /// Runs a history, and returns the first violation of a law.
    static func violation(seed: UInt64, steps: Int = 60, mistake: PoolMistake? = nil) -> String? {
        var world = PoolWorld(seed: seed, mistake: mistake)
        for step in 0..<steps where world.violation == nil {
            world.step()
            world.checkRest()
            if let found = world.violation { return "seed \(seed), step \(step): \(found)" }
        }
        world.finish()
        return world.violation.map { "seed \(seed), at the end: \($0)" }
    }

    // MARK: Steps

    private mutating func step() {
        switch roll(12) {
        case 0...3: addRequest()
        case 4: cancelWaiting()
        case 5, 6: endOpening()
        case 7, 8: endRequest()
        case 9: changeLimit()
        case 10: loseConnection()
        default: passTime(Double(roll(12)))
        }
    }

    private mutating func addRequest() {
        requests += 1
        let id = RequestID(number: requests)
        waiting.append(id)
        perform(pool.add(id))
    }

    private mutating func cancelWaiting() {
        guard let id = pick(waiting) else { return }
        guard pool.remove(id) else { return fail("a waiting request is not in line") }
        waiting.removeAll { $0 == id }
        over += 1
    }

    private mutating func endOpening() {
        guard let id = pick(ids { $0.phase == .opening }) else { return }
        if roll(4) == 0 {
            servers[id] = nil
            if mistake != .losesFailures { perform(pool.failed(id)) }
            return
        }
        let isHTTP2 = roll(2) == 0
        servers[id]?.phase = .open
        servers[id]?.isHTTP2 = isHTTP2
        servers[id]?.limit = isHTTP2 && !isFresh ? ConnectionPool.placesBeforeSettings : 1
        servers[id]?.idleSince = now
        perform(pool.opened(id, isHTTP2 ? .http2 : .http1, at: now))
    }

    private mutating func endRequest() {
        guard let request = pick(taken.keys.sorted { $0.number < $1.number }), let id = taken[request] else { return }
        taken[request] = nil
        over += 1
        let isReusable = roll(4) > 0
        end(on: id, isReusable: isReusable)
        perform(pool.ended(on: id, isReusable: isReusable || mistake == .reusesUsedUp, at: now))
    }

    private mutating func end(on id: ConnectionID, isReusable: Bool) {
        servers[id]?.used -= 1
        servers[id]?.idleSince = now
        if !isReusable || isFresh { servers[id]?.phase = .draining }
    }

    private mutating func changeLimit() {
        guard let id = pick(ids { $0.isHTTP2 && $0.phase == .open }) else { return }
        if roll(4) == 0 {
            servers[id]?.phase = .draining
            return perform(pool.drained(id))
        }
        let limit = roll(6)
        if !isFresh { servers[id]?.limit = limit }
        perform(pool.limited(id, to: mistake == .exceedsLimits ? limit + 1 : limit))
    }

    private mutating func loseConnection() {
        guard let id = pick(ids { $0.phase != .opening }) else { return }
        servers[id] = nil
        over += taken.values.count { $0 == id }
        taken = taken.filter { $0.value != id }
        if mistake != .ignoresCloses { perform(pool.closed(id)) }
    }

    private mutating func passTime(_ seconds: Double) {
        now += seconds
        if mistake != .keepsIdle { perform(pool.expire(at: now)) }
        let late = servers.values.contains {
            $0.phase == .open && $0.used == 0 && now - $0.idleSince >= ConnectionPool.idleTime
        }
        if late { fail("an idle connection is kept") }
    }

    // MARK: Actions

    private mutating func perform(_ new: [ConnectionPool.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        while violation == nil, !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
    }

    private mutating func perform(_ action: ConnectionPool.Action) {
        switch action {
        case .open(let id):
            guard servers.updateValue(Server(), forKey: id) == nil else { return fail("a connection is opened twice") }
        case .assign(var request, let id):
            if mistake == .servesNewestFirst, let newest = waiting.last { request = newest }
            assign(request, to: id)
        case .fail(let request, let id):
            guard servers[id] == nil else { return fail("a request fails for a connection that exists") }
            leave(request)
            over += 1
        case .close(let id):
            guard let server = servers.removeValue(forKey: id) else { return fail("an unknown connection is closed") }
            if server.used > 0 { fail("a connection with requests is closed") }
        }
    }

    private mutating func assign(_ request: RequestID, to id: ConnectionID) {
        guard let server = servers[id] else { return fail("a connection that is gone takes a request") }
        // It may have refused another one since this was decided.
        if server.phase != .open {
            guard refusers.contains(id) else { return fail("a connection that takes none takes a request") }
            return refuse(request, id)
        }
        guard server.used < server.limit else { return fail("a connection has more requests than its server allows") }
        if roll(10) == 0 { return refuse(request, id) }
        leave(request)
        taken[request] = id
        servers[id]?.used += 1
    }

    private mutating func refuse(_ request: RequestID, _ id: ConnectionID) {
        servers[id]?.phase = .draining
        refusers.insert(id)
        refused.insert(request)
        guard mistake == .losesRefused else { return perform(pool.refused(request, by: id)) }
        waiting.removeAll { $0 == request }
        perform(pool.ended(on: id, isReusable: false, at: now))
    }

    /// Takes a request out of the line. All older ones must have left it before.
    private mutating func leave(_ request: RequestID) {
        guard let index = waiting.firstIndex(of: request) else { return fail("a request is served twice") }
        if !waiting[..<index].allSatisfy(refused.contains) { fail("a request is served before older ones") }
        waiting.remove(at: index)
    }

    // MARK: Laws

    private mutating func checkRest() {
        guard violation == nil else { return }
        if requests != waiting.count + taken.count + over { fail("a request is lost") }
        let free = servers.values.contains { $0.phase == .open && $0.used < $0.limit }
        if free, !waiting.isEmpty { fail("a request waits beside a free connection") }
        let isOpening = servers.values.contains { $0.phase == .opening }
        let isClosedToAll = servers.values.contains { $0.phase == .open && $0.limit == 0 }
        if !waiting.isEmpty, !isOpening, !isClosedToAll { fail("a request waits for nothing") }
        if servers.values.contains(where: { $0.phase == .draining && $0.used == 0 }) {
            fail("a used-up connection is kept")
        }
    }

    /// Ends everything, after which the pool must be empty.
    private mutating func finish() {
        guard violation == nil else { return }
        for request in waiting where !pool.remove(request) { fail("a waiting request is not in line") }
        waiting = []
        for id in ids({ _ in true }) {
            servers[id] = nil
            if mistake != .ignoresCloses { perform(pool.closed(id)) }
        }
        if violation == nil, !pool.isEmpty { fail("the pool keeps something") }
    }

    private func ids(_ isMeant: (Server) -> Bool) -> [ConnectionID] {
        servers.filter { isMeant($0.value) }.keys.sorted { $0.number < $1.number }
    }

    private mutating func fail(_ law: String) { violation = violation ?? law }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &dice) }
}
