import FerryCore
import FerryRules
import FerryTesting

/// A model of workers that fetch one file in parallel.
///
/// Each block on disk is right or wrong, and every response states the digest of the right bytes. Workers lose their
/// connection, send wrong bytes, are shortened and lose work to others. Attempts end, and the process is killed.
///
/// `SegmentPlan`, `TransferFacts` and `PendingDigests` are the real types. This model replaces `SegmentWorkers` and
/// `TransferRun`.
struct SimulatedWorkers {
    /// A deliberate mistake that a law must detect.
    enum Mistake: CaseIterable {
        /// Forgets a response's digest when another worker takes over its end.
        case forgetsShortened
        /// Forgets the digest of an incomplete response.
        case forgetsCut
        /// Stores ranges without their pending digests.
        case storesRangesAlone
        /// Counts bytes with a wrong digest.
        case countsWhatDiffers
        /// Places the file without comparing pending digests.
        case placesUnchecked
    }

    private struct Worker {
        let start: Int64
        /// End of the response, from its head.
        let answerEnd: Int64
        var limit: Int64
        var position: Int64
        let stated: StatedDigest?
        /// Whether it sometimes writes a wrong block.
        let lies: Bool
        /// Whether another worker has taken over its end.
        var isShortened = false
    }

    static let block: Int64 = 64 << 10
    private static let right = Checksum(.sha256, bytes: [UInt8](repeating: 1, count: 32))
    private static let wrong = Checksum(.sha256, bytes: [UInt8](repeating: 2, count: 32))

    private let size: Int64
    private let mistake: Mistake?
    private var dice: Mutations
    /// Whether each block on disk is right, or `nil` if it was not written.
    private var disk: [Bool?]
    private var facts = TransferFacts()
    private var journal = TransferFacts()
    private var plan: SegmentPlan
    private var workers: [Int: Worker] = [:]
    private var next = 0
    private var now = 0.0
    /// Probability of a fault, from 0 to 1.
    private let trouble: Double
    private(set) var isPlaced = false

    init(seed: UInt64, mistake: Mistake? = nil) {
        dice = Mutations(seed: seed)
        self.mistake = mistake
        let blocks = Int.random(in: 4...160, using: &dice)
        size = Int64(blocks) * Self.block
        disk = Array(repeating: nil, count: blocks)
        trouble = Double.random(in: 0...0.4, using: &dice)
        plan = SegmentPlan(gaps: ByteRangeSet(0..<size), now: 0)
    }

    /// Whether the placed file is right.
    var isRight: Bool { disk.allSatisfy { $0 == true } }

    /// Runs until the file is placed. Faults become rarer with each step, so each history ends.
    mutating func run() {
        for step in 0..<20_000 where !isPlaced {
            now += Double.random(in: 0...0.5, using: &dice)
            let calm = Double(step) / 2000
            if chance(0.02 * (1 - calm)) { kill() }
            if chance(0.02 * (1 - calm)) { endAttempt() }
            if chance(0.1) { checkpoint() }
            if workers.count < 8, chance(0.4) { hire(calm) }
            if let worker = workers.keys.sorted().randomElement(using: &dice) { advance(worker, calm) }
            if workers.isEmpty, facts.ranges.contains(0..<size) { finish() }
        }
    }

    private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < probability }

    // MARK: Workers

    private mutating func hire(_ calm: Double) {
        observe()
        let number = next
        next += 1
        guard let work = plan.assign(number, setup: 0.01, speed: nil, now: now) else { return }
        if let victim = work.replaced { end(victim, wasCut: false) }
        guard let segment = plan.segments[number] else { return }
        // The response may be shorter than the request.
        var answerEnd = segment.end
        if chance(0.1), answerEnd - segment.start > Self.block { answerEnd = segment.start + Self.block }
        for victim in plan.victims(of: number) {
            guard let worker = workers[victim], worker.position <= segment.start else { continue }
            workers[victim]?.limit = min(worker.limit, segment.start)
            workers[victim]?.isShortened = true
            plan.lowered(victim, to: segment.start)
        }
        let stated = StatedDigest(from: segment.start, length: answerEnd - segment.start, [Self.right])
        let lies = chance(trouble * (1 - calm))
        workers[number] = Worker(
            start: segment.start, answerEnd: answerEnd, limit: answerEnd, position: segment.start, stated: stated,
            lies: lies)
        if let stated { facts.pendingDigests.begin(stated) }
    }

    private mutating func advance(_ number: Int, _ calm: Double) {
        guard var worker = workers[number] else { return }
        if chance(0.05 * (1 - calm)) { return end(number, wasCut: true) }
        let blocks = Int64.random(in: 1...8, using: &dice)
        for _ in 0..<blocks where worker.position < worker.limit {
            disk[Int(worker.position / Self.block)] = !(worker.lies && chance(0.3))
            worker.position += Self.block
        }
        workers[number] = worker
        observe()
        if worker.position >= worker.limit { end(number, wasCut: false) }
    }

    private mutating func observe() {
        plan.observe(workers.mapValues(\.position), setup: 0.01, now: now)
    }

    private func digest(of range: Range<Int64>) -> [Checksum] {
        let blocks = disk[Int(range.lowerBound / Self.block)..<Int(range.upperBound / Self.block)]
        return [blocks.allSatisfy { $0 == true } ? Self.right : Self.wrong]
    }

    private mutating func end(_ number: Int, wasCut: Bool) {
        guard let worker = workers.removeValue(forKey: number) else { return }
        let range = worker.start..<worker.position
        var counts = true
        if let stated = worker.stated {
            let forgets = mistake == .forgetsShortened && worker.isShortened || mistake == .forgetsCut && wasCut
            if forgets, worker.position < worker.answerEnd {
                facts.pendingDigests.remove(stated)
            } else {
                switch facts.pendingDigests.end(
                    stated, wrote: range, reachedEnd: !wasCut, computed: range.isEmpty ? [] : digest(of: range))
                {
                case .counts: break
                case .differs: counts = mistake == .countsWhatDiffers
                case .uncounted: counts = false
                }
            }
            if !counts { facts.pendingDigests.remove(stated) }
        }
        if counts {
            facts.ranges.insert(range)
        } else {
            facts.ranges.remove(range)
            journal = stored
            plan.lose(range)
        }
        if plan.segments[number] != nil { plan.leave(number, at: counts ? worker.position : worker.start) }
    }

    // MARK: Attempts

    private var stored: TransferFacts {
        var stored = facts
        if mistake == .storesRangesAlone { stored.bytes.pendingDigests = PendingDigests() }
        return stored
    }

    private mutating func checkpoint() {
        for worker in workers.values { facts.ranges.insert(worker.start..<worker.position) }
        journal = stored
    }

    private mutating func kill() {
        facts = journal
        workers = [:]
        begin()
    }

    private mutating func endAttempt() {
        for number in workers.keys.sorted() { end(number, wasCut: true) }
        journal = stored
        begin()
    }

    private mutating func begin() {
        var missing = ByteRangeSet(0..<size)
        for range in facts.ranges.ranges { missing.remove(range) }
        plan = SegmentPlan(gaps: missing, now: now)
    }

    private mutating func finish() {
        var isGood = true
        for stated in facts.pendingDigests.digests where mistake != .placesUnchecked {
            let range = stated.range(inSize: size)
            facts.pendingDigests.remove(stated)
            guard stated.difference(from: digest(of: range)) != nil else { continue }
            facts.ranges.remove(range)
            isGood = false
        }
        journal = stored
        if isGood { isPlaced = true } else { begin() }
    }
}
