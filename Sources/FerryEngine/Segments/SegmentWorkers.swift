import FerryCore
import NIOCore

/// The workers of one file: who they are, what each fetches and where, and how many there should be.
///
/// Their requests and their bytes are the run's; numbers of workers are never given twice.
struct SegmentWorkers {
    /// One worker.
    private struct Member {
        /// Which of the places it asks.
        var place = 0
        /// Whose connections its own is counted among.
        var origin: Origin
        /// The connection for its first request, where one was opened early.
        var early: EarlyConnection?
        var exchange: Exchange?
        /// Where its bytes go while it receives.
        var sink: BodySink?
        /// Bytes per second with its work before.
        var speed: Double?
        /// Whether its connection has carried a part to its end, and waits for another.
        var isWarm = false
        /// Why it was told to stop.
        var order: Order?
        /// What the server asked for with its last failure.
        var later: RetryAfterResponse?
        /// Whether a slow connection was replaced.
        var hasReconnected = false
        /// Whether its connection is counted as an extra one.
        var isExtra = true
    }

    /// What a worker was told.
    private enum Order: Hashable {
        /// Its part is another worker's, and there is nothing else for it.
        case leave
        /// The rest is asked for on another connection.
        case reconnect
    }

    /// A connection that a host refused, and how many it serves.
    struct Refusal {
        let origin: Origin
        let active: Int
        let receiving: Int
    }

    /// Where requests may go.
    var places: WorkerPlaces
    /// What ended the last worker, and what its server asked for.
    private(set) var failure: (error: ServiceError, later: RetryAfterResponse?)?
    private var plan: SegmentPlan
    private var members: [Int: Member] = [:]
    private var growth = ConnectionGrowth(limit: SegmentRule.chosen)
    /// Since when as many workers as wanted have received something.
    private var fullSince: Double?
    /// Seconds from a request to its first bytes: the least that was seen.
    private var setup: Double
    /// No new worker before this time, in seconds.
    private var restUntil = 0.0
    /// Failures of workers since one of them brought something that counts as progress.
    private var failures = 0
    private var next = 1

    /// Begins with the first connection, which receives a part.
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

    /// Seconds of a clock that never steps back.
    static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }

    // MARK: What can be seen

    var isEmpty: Bool { members.isEmpty }

    /// Bytes that are to come.
    var missing: Int64 { plan.missing }

    /// Whether a round trip decides about the number of connections.
    var isOpening: Bool { growth.isOpening }

    /// What is under way.
    var exchanges: [Exchange] { members.values.compactMap(\.exchange) }

    /// The first place, where the first answer came from.
    var home: HTTPURL { places[0].course.url }

    /// What each worker fetches, in the order of the file.
    var shown: [TransferSegment] {
        plan.segments.sorted { $0.value.start < $1.value.start }.map { worker, segment in
            TransferSegment(
                start: segment.start, end: segment.end, position: segment.position,
                source: members[worker].map { places[$0.place].number }, bytesPerSecond: segment.speed)
        }
    }

    /// Whether others receive something beside a worker.
    func anyReceives(but worker: Int) -> Bool {
        members.contains { $0.key != worker && $0.value.sink != nil && plan.segments[$0.key]?.firstBytes != nil }
    }

    /// Whether a worker is there and was told nothing.
    func isWanted(_ worker: Int) -> Bool { members[worker].map { $0.order == nil } ?? false }

    /// The event loop of a worker's early connection.
    func earlyLoop(of worker: Int) -> Int? { members[worker]?.early?.key.loop }

    // MARK: How many

    /// Takes note of how far all workers are, and ends what is not needed any more.
    mutating func look(now: Double) {
        observe(now: now)
        for member in members.values where member.sink?.isAtLimit == true { member.exchange?.finish() }
        for (worker, trouble) in plan.troubles(setup: setup, now: now) where members[worker]?.order == nil {
            members[worker]?.order = trouble == .silent ? .leave : .reconnect
            members[worker]?.exchange?.finish()
        }
    }

    /// Takes note of how far all workers are.
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

    /// How many workers there should be at this moment.
    ///
    /// - Parameters:
    ///   - given: the number that the user gave.
    ///   - allowed: connections that the first place may have.
    ///   - isPaced: whether a rate limit holds.
    ///   - received: bytes of the file that are there.
    mutating func wanted(given: Int?, allowed: Int, isPaced: Bool, received: Int64, now: Double) -> Int {
        let allowed = connections(allowed)
        // More workers come only beside one that receives something: a server that is down is met by one at a time.
        guard members.values.contains(where: { $0.sink != nil || !$0.isExtra }) else { return members.count }
        // Workers that a host already serves go on when it refuses one more.
        if let given { return min(given, max(allowed, members.count)) }
        guard !isPaced else { return 1 }
        let receiving = members.keys.count { plan.segments[$0]?.firstBytes != nil }
        if receiving < growth.target { fullSince = nil } else { fullSince = fullSince ?? now }
        growth.look(
            received: received, missing: plan.missing, receiving: receiving, fullSince: fullSince, setup: setup,
            allowed: allowed, now: now)
        return growth.target
    }

    /// Every place has an allowance of its own.
    private func connections(_ allowed: Int) -> Int { places.count > 1 ? Int.max : allowed }

    /// Lets the newest workers go that are too many; their rest is for the others.
    mutating func retire(over wanted: Int, excess: Int) {
        let active = members.filter { $0.value.order == nil }
        let extras = active.filter(\.value.isExtra).keys.sorted(by: >)
        for worker in extras.prefix(SegmentRule.tooMany(active: active.count, wanted: wanted, excess: excess)) {
            members[worker]?.order = .leave
            members[worker]?.exchange?.finish()
        }
    }

    /// Whether one more worker is to begin.
    func lacksWorkers(to wanted: Int, now: Double) -> Bool {
        members.count < wanted && now >= restUntil && plan.hasWork(setup: setup)
    }

    /// How many workers are missing to a number, as far as there is work for them.
    func spare(wanted: Int) -> Int { plan.hasWork(setup: setup) ? wanted - members.count : 0 }

    /// How many connections the next step would need that is being decided about.
    func prospect(allowed: Int, now: Double) -> Int {
        growth.prospect(missing: plan.missing, setup: setup, allowed: connections(allowed), now: now) - members.count
    }

    /// Takes on a worker, and says what it fetches; nil if there is nothing for it.
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

    /// A worker leaves.
    ///
    /// - Returns: whose connections its own was counted among, if it was an extra one.
    mutating func leave(_ worker: Int, now: Double) -> Origin? {
        observe(now: now)
        guard let member = members.removeValue(forKey: worker) else { return nil }
        member.early?.close()
        if let position = plan.segments[worker]?.position { plan.leave(worker, at: position) }
        return member.isExtra ? member.origin : nil
    }

    // MARK: Who fetches what

    /// What a worker fetches after a part; nil if it has to leave.
    mutating func nextPart(of worker: Int, now: Double) -> Part? {
        guard let member = members[worker], member.order != .leave, failure == nil else { return nil }
        return takeWork(worker, now: now)
    }

    /// The next work for a worker; the one that has it so far is told.
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
                // What it is writing at this moment may still come; should that fail, it is asked for at the end.
                plan.advance(worker, to: sink.shut(), now: now)
            }
            members[victim]?.exchange?.finish()
        }
        guard let segment = plan.segments[worker] else { return nil }
        return Part(offset: segment.start, end: segment.end)
    }

    /// The part as it is to be asked for: its end may have been given to another worker since it was handed out.
    mutating func confirm(_ part: Part, of worker: Int) -> Part? {
        guard let end = plan.segments[worker]?.end, end > part.offset else { return nil }
        var part = part
        part.end = end
        plan.lowered(worker, to: end)
        return part
    }

    /// Takes the rest of a part from all others that have it.
    ///
    /// - Returns: where the worker has to end; nil if others have the part.
    mutating func makeWay(for worker: Int, at part: Part) -> Int64? {
        guard members[worker]?.order != .leave else { return nil }
        guard !plan.isOvertaken(worker) else {
            plan.leave(worker, at: part.offset)
            return nil
        }
        for victim in plan.victims(of: worker) {
            if let sink = members[victim]?.sink, !sink.lower(to: part.offset) {
                // Too late: the worker that has the part is past its beginning, and keeps it.
                plan.leave(worker, at: part.offset)
                return nil
            }
            plan.lowered(victim, to: part.offset)
        }
        return plan.segments[worker].map { min(part.end, $0.limit) }
    }

    /// The connection that was opened for a worker.
    mutating func takeEarly(of worker: Int) -> EarlyConnection? { members[worker]?.early.take() }

    mutating func asks(_ worker: Int, on exchange: Exchange) { members[worker]?.exchange = exchange }

    mutating func receives(_ worker: Int, into sink: BodySink, from exchange: Exchange) {
        members[worker]?.sink = sink
        members[worker]?.exchange = exchange
    }

    /// A worker receives no more.
    ///
    /// - Returns: whether it was told to stop.
    mutating func closed(_ worker: Int) -> Bool {
        members[worker]?.sink = nil
        members[worker]?.exchange = nil
        return members[worker]?.order != nil
    }

    /// Takes in how far a worker got with a part.
    ///
    /// - Returns: whether that is all that it was to fetch.
    mutating func received(_ part: Part, by worker: Int, in range: Range<Int64>, isIntact: Bool) -> Bool {
        if Int64(range.count) >= FailureLedger.progress { failures = 0 }
        let position = range.upperBound
        members[worker]?.isWarm = isIntact && position == part.end
        let segment = plan.segments[worker]
        if segment?.start == range.lowerBound { plan.leave(worker, at: position) }
        if members[worker]?.order == .reconnect { members[worker]?.hasReconnected = true }
        return segment.map { position >= min($0.end, part.end) } ?? true
    }

    /// What was written is no data, and not in the journal: it is fetched again.
    mutating func lose(_ written: Range<Int64>) { plan.lose(written) }

    /// A worker gives its part back from its beginning.
    mutating func abandon(_ worker: Int, from start: Int64) { plan.leave(worker, at: start) }

    // MARK: Failures

    mutating func note(_ later: RetryAfterResponse?, of worker: Int) { members[worker]?.later = later }

    /// Takes in that a worker has failed.
    ///
    /// - Returns: whether it goes on with the rest of its part, which came along, while others receive too; and the refusal
    ///   that the failure is.
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
        // One after the other, and ever more rarely.
        restUntil = now + Double(1 << min(failures, 6)) / 2
        return (hadHead && !isAlone && failures < 3, isRefusal ? refusal(by: member.origin) : nil)
    }

    private func refusal(by origin: Origin) -> Refusal {
        Refusal(origin: origin, active: members.count, receiving: members.values.count { $0.sink != nil })
    }

    /// Takes in that a host refused one more connection.
    ///
    /// - Parameters:
    ///   - refuser: the origin that answered, since a redirect may have led to another host.
    ///   - asked: seconds that it asked for.
    mutating func refused(_ worker: Int, by refuser: Origin, asked: Double, now: Double) -> Refusal? {
        guard let member = members[worker] else { return nil }
        var rest = max(1, min(asked, ThrottledOrigins.longest))
        if refuser != member.origin {
            // The connections that are counted here do not tell how many lead there.
            failures += 1
            rest = max(rest, Double(1 << min(failures, 6)))
        }
        if member.place > 0 {
            // What a mirror wants is no reason to spare the others.
            places.rest(member.place, for: rest, now: now)
        } else {
            restUntil = max(restUntil, now + rest)
        }
        return refusal(by: refuser)
    }

    // MARK: Places

    /// Which places a new worker may ask, the most hopeful first.
    ///
    /// - Parameter asksHome: whether the first place serves parts.
    func order(asksHome: Bool, now: Double) -> [Int] {
        var workers: [Int: Int] = [:]
        for member in members.values { workers[member.place, default: 0] += 1 }
        return places.order(workers, asksHome: asksHome, now: now)
    }

    /// Where a worker asks.
    func place(of worker: Int) -> Int? { members[worker]?.place }

    /// A part has come from where a worker asks.
    ///
    /// - Parameter answer: seconds from its request to its head.
    /// - Returns: the number of the URL.
    mutating func proved(_ worker: Int, setup answer: Double) -> Int? {
        setup = min(setup, answer)
        guard let index = members[worker]?.place else { return nil }
        places.proved(index)
        return places[index].number
    }
}

/// What one worker fetches next: a range, and the response with it if that was asked for already.
struct Part: Sendable {
    var offset: Int64
    var end: Int64
    var exchange: Exchange?
    /// The digest that the server stated of the response's content.
    var stated: StatedDigest?
}
