import FerryCore
import NIOCore

/// The workers of one file: who they are, what each does, and how many there should be.
struct Crew {
    /// One worker.
    struct Member {
        /// Which of the sources it asks.
        var source = 0
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
        var later: LaterAnswer?
        /// Whether a slow connection was replaced.
        var hasReconnected = false
        /// Whether its connection is counted as an extra one.
        var isExtra = true
    }

    /// What a worker was told.
    enum Order: Hashable {
        /// Its part is somebody else's, and there is nothing else for it.
        case leave
        /// The rest is asked for on another connection.
        case reconnect
    }

    let length: Int64
    /// Where extra requests may go: first where the first answer came from, then the others.
    var sources: [CrewSource]
    var plan: SegmentPlan
    var members: [Int: Member] = [:]
    var growth = ConnectionGrowth(limit: SegmentRule.chosen)
    /// Since when as many workers as wanted have received something.
    var fullSince: Double?
    /// Seconds from a request to its first bytes: the least that was seen.
    var setup: Double
    /// No new worker before this time, in seconds.
    var restUntil = 0.0
    /// Failures of workers since one of them brought something that counts as progress.
    var failures = 0
    /// What ended the last worker.
    var failure: TransferError?
    private var next = 1

    init(length: Int64, missing: ByteRangeSet, sources: [CrewSource], setup: Double, now: Double) {
        self.length = length
        self.sources = sources
        self.setup = setup
        plan = SegmentPlan(gaps: missing, now: now)
    }

    mutating func takeNumber() -> Int {
        defer { next += 1 }
        return next
    }

    /// Workers that receive something, beside one.
    func anyReceives(but worker: Int) -> Bool {
        members.contains { $0.key != worker && $0.value.sink != nil && plan.segments[$0.key]?.firstBytes != nil }
    }

    /// Takes note of how far all are.
    mutating func observe(now: Double) {
        var positions: [Int: Int64] = [:]
        for (worker, member) in members { if let sink = member.sink { positions[worker] = sink.position } }
        plan.observe(positions, setup: setup, now: now)
        for worker in positions.keys { if let speed = plan.segments[worker]?.speed { members[worker]?.speed = speed } }
        for index in sources.indices {
            let speeds = positions.keys.filter { members[$0]?.source == index }.compactMap { plan.segments[$0]?.speed }
            if !speeds.isEmpty { sources[index].rank.measured(speeds.reduce(0, +) / Double(speeds.count)) }
        }
    }

    /// Seconds of a clock that never steps back.
    static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }
}
