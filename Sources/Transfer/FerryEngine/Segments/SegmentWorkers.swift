import FerryCore
import FerryRules
import NIOCore

/// The workers of one file: their number, and the range and URL of each.
///
/// The run owns their requests and bytes. Worker numbers are never reused.
struct SegmentWorkers {
    /// One worker.
    private struct Member {
        /// Index of its place.
        var place = 0
        /// The origin that its connection is counted for.
        var origin: Origin
        /// The early connection for its first request.
        var early: EarlyConnection?
        var exchange: Exchange?
        /// The sink while it receives.
        var sink: BodySink?
        /// Bytes per second of its previous work.
        var speed: Double?
        /// Whether its connection has completed a part and can take another.
        var isWarm = false
        /// The order to stop, if any.
        var order: Order?
        /// The server's `Retry-After` request that came with its last failure.
        var later: RetryAfterResponse?
        /// Whether a slow connection was replaced.
        var hasReconnected = false
        /// Whether its connection is counted as an extra one.
        var isExtra = true
    }

    /// An order to a worker.
    private enum Order: Hashable {
        /// Leave: another worker has its part, and there is no other work.
        case leave
        /// Request the remaining bytes on another connection.
        case reconnect
    }

    /// A refused connection, and the number of connections that the host serves.
    struct Refusal {
        let origin: Origin
        let active: Int
        let receiving: Int
    }

    /// The possible destinations of requests.
    var places: WorkerPlaces
    /// The error that ended the last worker, and its server's `Retry-After` request.
    private(set) var failure: (error: ServiceError, later: RetryAfterResponse?)?
    private var plan: SegmentPlan
    private var members: [Int: Member] = [:]
    private var growth = ConnectionGrowth(limit: SegmentRule.chosen)
    /// Time since when all wanted workers have been receiving.
    private var fullSince: Double?
    /// Seconds from a request to its first bytes: the minimum so far.
    private var setup: Double
    /// Time before which no new worker starts, in seconds.
    private var restUntil = 0.0
    /// Delays between failed workers.
    private static let backoff = Backoff(first: 1, longest: 32)
    /// Failures of workers since the last significant progress.
    private var failures = 0
    private var next = 1

    /// Creates the workers with the first connection, which receives a part.
    init(
        missing: ByteRangeSet, places: [WorkerPlace], first exchange: Exchange, receives range: Range<Int64>,
        setup: Double, now: Double
    ) {
        self.places = WorkerPlaces(places)
        self.setup = setup
        plan = SegmentPlan(gaps: missing, now: now)
        plan.begin(0, with: range, now: now)
        members[0] = Member(origin: places[0].course.url.origin, exchange: exchange, isExtra: false)
    }

    /// Seconds of a monotonic clock.
    static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    // MARK: State

    var isEmpty: Bool { members.isEmpty }

    /// Missing bytes.
    var missing: Int64 { plan.missing }

    /// Whether the number of connections is decided within a round trip.
    var isOpening: Bool { growth.isOpening }

    /// The exchanges in progress.
    var exchanges: [Exchange] { members.values.compactMap(\.exchange) }

    /// The URL of the first place, which sent the first response.
    var home: HTTPURL { places[0].course.url }

    /// The segment of each worker, in file order.
    var shown: [TransferSegment] {
        plan.segments.sorted { $0.value.start < $1.value.start }.map { worker, segment in
            TransferSegment(
                start: segment.start, end: segment.end, position: segment.position,
                source: members[worker].map { places[$0.place].number }, bytesPerSecond: segment.speed)
        }
    }

    /// Returns whether other workers are receiving.
    func anyReceives(but worker: Int) -> Bool {
        members.contains { $0.key != worker && $0.value.sink != nil && plan.segments[$0.key]?.firstBytes != nil }
    }

    /// Returns whether a worker exists and has no order.
    func isWanted(_ worker: Int) -> Bool { members[worker].map { $0.order == nil } ?? false }

    /// Returns the event loop of a worker's early connection.
    func earlyLoop(of worker: Int) -> Int? { members[worker]?.early?.key.loop }

    // MARK: Number of workers

    /// Updates the positions of all workers, and ends exchanges that are not needed.
    mutating func update(now: Double) {
        observe(now: now)
        for member in members.values where member.sink?.isAtLimit == true { member.exchange?.finish() }
        for (worker, trouble) in plan.troubles(setup: setup, now: now) where members[worker]?.order == nil {
            members[worker]?.order = trouble == .silent ? .leave : .reconnect
            members[worker]?.exchange?.finish()
        }
    }

    /// Updates the positions of all workers.
    mutating func observe(now: Double) {
        var positions: [Int: Int64] = [:]
        for (worker, member) in members { if let sink = member.sink { positions[worker] = sink.position } }
        plan.observe(positions, setup: setup, now: now)
        for worker in positions.keys { if let speed = plan.segments[worker]?.speed { members[worker]?.speed = speed } }
        for index in 0..<places.count {
            let speeds = positions.keys.filter { members[$0]?.place == index }.compactMap { plan.segments[$0]?.speed }
            places.measured(index, speeds)
        }
    }

    /// Returns the wanted number of workers.
    ///
    /// - Parameters:
    ///   - given: The user's number.
    ///   - allowed: Connections allowed to the first place.
    ///   - isPaced: Whether a rate limit applies.
    ///   - received: Bytes of the file received.
    mutating func wanted(given: Int?, allowed: Int, isPaced: Bool, received: Int64, now: Double) -> Int {
        let allowed = connections(allowed)
        // Add workers only while one is receiving: a server that is down gets one request at a time.
        guard members.values.contains(where: { $0.sink != nil || !$0.isExtra }) else { return members.count }
        // Workers that a host already serves continue when it refuses one more.
        if let given { return min(given, max(allowed, members.count)) }
        guard !isPaced else { return 1 }
        let receiving = members.keys.count { plan.segments[$0]?.firstBytes != nil }
        if receiving < growth.target { fullSince = nil } else { fullSince = fullSince ?? now }
        growth.update(
            received: received, missing: plan.missing, receiving: receiving, fullSince: fullSince, setup: setup,
            allowed: allowed, now: now)
        return growth.target
    }

    /// Returns the limit on connections. With several places, each has its own allowance.
    private func connections(_ allowed: Int) -> Int { places.count > 1 ? Int.max : allowed }

    /// Stops the newest excess workers. The others take their remaining bytes.
    mutating func retire(over wanted: Int, excess: Int) {
        let active = members.filter { $0.value.order == nil }
        let extras = active.filter(\.value.isExtra).keys.sorted(by: >)
        for worker in extras.prefix(SegmentRule.tooMany(active: active.count, wanted: wanted, excess: excess)) {
            members[worker]?.order = .leave
            members[worker]?.exchange?.finish()
        }
    }

    /// Returns whether to start one more worker.
    func lacksWorkers(to wanted: Int, now: Double) -> Bool {
        members.count < wanted && now >= restUntil && plan.hasWork(setup: setup)
    }

    /// Returns how many workers are missing, if there is work for them.
    func spare(wanted: Int) -> Int { plan.hasWork(setup: setup) ? wanted - members.count : 0 }

    /// Returns how many connections the next growth step would need.
    func prospect(allowed: Int, now: Double) -> Int {
        growth.prospect(missing: plan.missing, setup: setup, allowed: connections(allowed), now: now) - members.count
    }

    /// Adds a worker, and returns its first part. `nil` if there is no work for it.
    mutating func hire(at place: Int, _ early: EarlyConnection?, now: Double) -> (worker: Int, part: Part)? {
        let worker = next
        next += 1
        members[worker] = Member(place: place, origin: places[place].course.url.origin, early: early)
        guard let part = takeWork(worker, now: now) else {
            members[worker] = nil
            return nil
        }
        return (worker, part)
    }

    /// Removes a worker.
    ///
    /// - Returns: The origin that its connection is counted for, if it is an extra one.
    mutating func leave(_ worker: Int, now: Double) -> Origin? {
        observe(now: now)
        guard let member = members.removeValue(forKey: worker) else { return nil }
        member.early?.close()
        if let position = plan.segments[worker]?.position { plan.leave(worker, at: position) }
        return member.isExtra ? member.origin : nil
    }

    // MARK: Assignment

    /// Returns a worker's next part, or `nil` if it has to leave.
    mutating func nextPart(of worker: Int, now: Double) -> Part? {
        guard let member = members[worker], member.order != .leave, failure == nil else { return nil }
        return takeWork(worker, now: now)
    }

    /// Assigns the next work to a worker, and stops the worker it is taken from.
    private mutating func takeWork(_ worker: Int, now: Double) -> Part? {
        members[worker]?.order = nil
        observe(now: now)
        guard let member = members[worker],
            let work = plan.assign(worker, setup: setup, speed: member.speed, isWarm: member.isWarm, now: now)
        else { return nil }
        members[worker]?.isWarm = false
        if member.hasReconnected { plan.reconnected(worker) }
        if let victim = work.replaced {
            members[victim]?.order = .leave
            if let sink = members[victim]?.sink {
                // A write in progress may still succeed. If it fails, its bytes are requested at the end.
                plan.advance(worker, to: sink.shut(), now: now)
            }
            members[victim]?.exchange?.finish()
        }
        guard let segment = plan.segments[worker] else { return nil }
        return Part(offset: segment.start, end: segment.end)
    }

    /// Returns the part to request: its end may have been given to another worker meanwhile.
    mutating func confirm(_ part: Part, of worker: Int) -> Part? {
        guard let end = plan.segments[worker]?.end, end > part.offset else { return nil }
        var part = part
        part.end = end
        plan.lowered(worker, to: end)
        return part
    }

    /// Takes the remaining part from all other workers that have it.
    ///
    /// - Returns: The position at which the worker has to end, or `nil` if others keep the part.
    mutating func makeWay(for worker: Int, at part: Part) -> Int64? {
        guard members[worker]?.order != .leave else { return nil }
        guard !plan.isOvertaken(worker) else {
            plan.leave(worker, at: part.offset)
            return nil
        }
        for victim in plan.victims(of: worker) {
            if let sink = members[victim]?.sink, !sink.lower(to: part.offset) {
                // Too late: the other worker is past the beginning of the part and keeps it.
                plan.leave(worker, at: part.offset)
                return nil
            }
            plan.lowered(victim, to: part.offset)
        }
        return plan.segments[worker].map { min(part.end, $0.limit) }
    }

    /// Returns the connection opened early for a worker, and removes it.
    mutating func takeEarly(of worker: Int) -> EarlyConnection? { members[worker]?.early.take() }

    mutating func asks(_ worker: Int, on exchange: Exchange) { members[worker]?.exchange = exchange }

    mutating func receives(_ worker: Int, into sink: BodySink, from exchange: Exchange) {
        members[worker]?.sink = sink
        members[worker]?.exchange = exchange
    }

    /// Records that a worker has stopped receiving.
    ///
    /// - Returns: Whether it was ordered to stop.
    mutating func closed(_ worker: Int) -> Bool {
        members[worker]?.sink = nil
        members[worker]?.exchange = nil
        return members[worker]?.order != nil
    }

    /// Records a worker's position in a part.
    ///
    /// - Returns: Whether its part is complete.
    mutating func received(_ part: Part, by worker: Int, in range: Range<Int64>, isIntact: Bool) -> Bool {
        if Int64(range.count) >= FailureLedger.progress { failures = 0 }
        let position = range.upperBound
        members[worker]?.isWarm = isIntact && position == part.end
        let segment = plan.segments[worker]
        if segment?.start == range.lowerBound { plan.leave(worker, at: position) }
        if members[worker]?.order == .reconnect { members[worker]?.hasReconnected = true }
        return segment.map { position >= min($0.end, part.end) } ?? true
    }

    /// Marks written bytes as missing. They are not data and not in the journal.
    mutating func lose(_ written: Range<Int64>) { plan.lose(written) }

    /// Gives a worker's part back to the plan, from its beginning.
    mutating func abandon(_ worker: Int, from start: Int64) { plan.leave(worker, at: start) }

    // MARK: Failures

    mutating func note(_ later: RetryAfterResponse?, of worker: Int) { members[worker]?.later = later }

    /// Records the failure of a worker.
    ///
    /// - Returns: Whether it continues with the remaining part: only if its response had a head and others receive too.
    ///   Also the refusal, if the failure is one.
    mutating func failed(
        _ worker: Int, _ error: ServiceError, hadHead: Bool, isStopping: Bool, now: Double
    ) -> (goesOn: Bool, refusal: Refusal?) {
        guard let member = members[worker] else { return (false, nil) }
        if member.order == .reconnect { return (true, nil) }
        guard member.order == nil, !isStopping else { return (false, nil) }
        if member.place > 0 {
            places.failed(member.place, now: now)
            return (false, nil)
        }
        failures += 1
        let isAlone = !anyReceives(but: worker)
        if isAlone, members.count == 1 {
            failure = (error, member.later)
            return (false, nil)
        }
        let isRefusal = !hadHead && !isAlone && (error.code == .connectFailed || error.code == .connectionLost)
        // Restart workers one after the other, with increasing delays.
        restUntil = now + Self.backoff.delay(afterFailures: failures)
        return (hadHead && !isAlone && failures < 3, isRefusal ? refusal(by: member.origin) : nil)
    }

    private func refusal(by origin: Origin) -> Refusal {
        Refusal(origin: origin, active: members.count, receiving: members.values.count { $0.sink != nil })
    }

    /// Records that a host refused one more connection.
    ///
    /// - Parameters:
    ///   - refuser: The origin that responded. A redirect may have led to another host.
    ///   - asked: The server's requested delay in seconds.
    mutating func refused(_ worker: Int, by refuser: Origin, asked: Double, now: Double) -> Refusal? {
        guard let member = members[worker] else { return nil }
        var rest = max(1, min(asked, Origin.longestHold))
        if refuser != member.origin {
            // The number of connections to that host is not known here.
            failures += 1
            rest = max(rest, 2 * Self.backoff.delay(afterFailures: failures))
        }
        if member.place > 0 {
            // A mirror's delay does not apply to the others.
            places.rest(member.place, for: rest, now: now)
        } else {
            restUntil = max(restUntil, now + rest)
        }
        return refusal(by: refuser)
    }

    // MARK: Places

    /// Returns the places for a new worker, best first.
    ///
    /// - Parameter asksHome: Whether the first place serves parts.
    func order(asksHome: Bool, now: Double) -> [Int] {
        var workers: [Int: Int] = [:]
        for member in members.values { workers[member.place, default: 0] += 1 }
        return places.order(workers, asksHome: asksHome, now: now)
    }

    /// Returns the place of a worker.
    func place(of worker: Int) -> Int? { members[worker]?.place }

    /// Records that a worker's place has sent a part.
    ///
    /// - Parameter answer: Seconds from its request to its head.
    /// - Returns: The number of the URL.
    mutating func proved(_ worker: Int, setup answer: Double) -> Int? {
        setup = min(setup, answer)
        guard let index = members[worker]?.place else { return nil }
        places.proved(index)
        return places[index].number
    }
}

/// A worker's next range, with the response if it was already requested.
struct Part: Sendable {
    var offset: Int64
    var end: Int64
    var exchange: Exchange?
    /// The server's digest of the response content.
    var stated: StatedDigest?
}
