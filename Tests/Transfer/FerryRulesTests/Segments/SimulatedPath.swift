import FerryCore
import FerryRules
import Foundation

/// A simulated server, the network path to it, and one transfer over that path.
///
/// The transfer has as many connections as `ConnectionGrowth` wants, some of them opened early, and `SegmentPlan`
/// assigns their work. Time is simulated: a day takes a moment.
struct SimulatedPath {
    /// Seconds. The first byte takes two round trips on a new connection, one on an open connection.
    var roundTrip = 0.1
    /// Maximum number of bytes in flight on a connection. The window starts at ten packets and doubles with each round
    /// trip.
    var window = 4e6
    /// Bytes per second of each connection, by its number.
    var cap: @Sendable (Int) -> Double = { _ in .infinity }
    /// Bytes per second of all connections together.
    var together = Double.infinity

    /// The outcome of a transfer.
    struct Outcome {
        var seconds = 0.0
        /// Times of changes to the target number of connections.
        var targets: [(at: Double, count: Int)] = []
        var mostReceiving = 0
        var connections = 0

        var counts: [Int] { targets.map(\.count) }
    }

    private struct Worker {
        let number: Int
        let connection: Int
        var segment: Int64
        var requestEnd: Int64
        var position: Double
        /// Time of the response, or `nil` once it has arrived.
        var answer: Double?
        /// Time at which the connection began to send.
        var opened: Double
        var speed: Double?
    }

    /// - Parameter connections: The user's number of connections, or `nil` if Ferry chooses.
    func fetch(_ size: Int64, connections: Int? = nil, limit: Int = SegmentRule.chosen) -> Outcome {
        var outcome = Outcome()
        var plan = SegmentPlan(gaps: ByteRangeSet(0..<size), now: 0)
        var growth = ConnectionGrowth(limit: limit)
        // The first response has arrived.
        plan.begin(0, with: 0..<size, now: 0)
        var workers = [
            Worker(number: 0, connection: 0, segment: 0, requestEnd: size, position: 0, answer: 0, opened: 0)
        ]
        outcome.connections = 1
        // Opening times of connections without a request. If the number is given, they were opened long ago.
        var early = Array(repeating: -roundTrip, count: (connections ?? 1) - 1)
        var next = 1
        var fullSince: Double?
        var (now, lookAt) = (0.0, 0.0)
        let step = 0.01
        while plan.missing > 0, now < 100_000 {
            receive(&workers, &plan, step, now)
            now += step
            observe(&workers, &plan, now)
            outcome.mostReceiving = max(outcome.mostReceiving, workers.count { $0.answer == nil })
            // A worker at the end of its segment gets other work, or leaves.
            for index in workers.indices.reversed() where plan.segments[workers[index].number]?.rest == 0 {
                let worker = workers[index].number
                let isWarm = plan.segments[worker]?.end == workers[index].requestEnd
                let speed = workers[index].speed
                plan.leave(worker, at: Int64(workers[index].position))
                guard let work = plan.assign(worker, setup: roundTrip, speed: speed, isWarm: isWarm, now: now) else {
                    workers.remove(at: index)
                    continue
                }
                let last = workers.remove(at: index)
                if !isWarm { outcome.connections += 1 }
                let opened = isWarm ? now - roundTrip : now
                begin(last, work, outcome.connections - 1, isWarm: isWarm, opened: opened, &workers, now)
            }
            guard now >= lookAt else { continue }
            lookAt = now + (growth.isOpening && connections == nil ? 0.025 : 0.1)
            var wanted = connections ?? 0
            if connections == nil {
                let receiving = workers.count { plan.segments[$0.number]?.firstBytes != nil }
                if receiving < growth.target { fullSince = nil } else { fullSince = fullSince ?? now }
                growth.update(
                    received: size - plan.missing, missing: plan.missing, receiving: receiving, fullSince: fullSince,
                    setup: roundTrip, allowed: .max, now: now)
                wanted = growth.target
                if outcome.targets.last?.count != wanted { outcome.targets.append((now, wanted)) }
            }
            while workers.count > wanted,
                let last = workers.indices.max(by: { workers[$0].number < workers[$1].number })
            {
                plan.leave(workers[last].number, at: Int64(workers[last].position))
                workers.remove(at: last)
            }
            while workers.count < wanted, plan.hasWork(setup: roundTrip),
                let work = plan.assign(next, setup: roundTrip, speed: nil, now: now)
            {
                let new = Worker(
                    number: next, connection: 0, segment: 0, requestEnd: 0, position: 0, answer: 0, opened: 0)
                let opened = early.isEmpty ? now : early.removeFirst()
                begin(new, work, outcome.connections, isWarm: false, opened: opened, &workers, now)
                outcome.connections += 1
                next += 1
            }
            guard connections == nil else { continue }
            let prospect = growth.prospect(missing: plan.missing, setup: roundTrip, allowed: .max, now: now)
            let spare = max(0, prospect - workers.count)
            early = Array((early + Array(repeating: now, count: max(0, spare - early.count))).prefix(spare))
        }
        outcome.seconds = now
        return outcome
    }

    private func begin(
        _ last: Worker, _ work: SegmentPlan.Assignment, _ connection: Int, isWarm: Bool, opened: Double,
        _ workers: inout [Worker], _ now: Double
    ) {
        let answer = max(now, opened + roundTrip) + roundTrip
        workers.append(
            Worker(
                number: last.number, connection: isWarm ? last.connection : connection, segment: work.range.lowerBound,
                requestEnd: work.range.upperBound, position: Double(work.range.lowerBound), answer: answer,
                opened: isWarm ? last.opened : answer, speed: last.speed))
    }

    /// Advances each connection by the bytes of one step.
    private func receive(_ workers: inout [Worker], _ plan: inout SegmentPlan, _ step: Double, _ now: Double) {
        var shares: [Double] = []
        for index in workers.indices {
            if let answer = workers[index].answer, now >= answer {
                workers[index].answer = nil
                for victim in plan.victims(of: workers[index].number) {
                    plan.lowered(victim, to: workers[index].segment)
                }
            }
            let trips = ((now - workers[index].opened) / max(roundTrip, 1e-6)).rounded(.down)
            let pace = min(window, SegmentRule.firstWindow * exp2(min(60, trips))) / max(roundTrip, 1e-6)
            shares.append(workers[index].answer == nil ? min(pace, cap(workers[index].connection)) : 0)
        }
        // The other connections share the unused rest, up to their own limits.
        var (left, open) = (together, Array(shares.indices))
        while together.isFinite, !open.isEmpty {
            let fair = left / Double(open.count)
            let small = open.filter { shares[$0] <= fair }
            guard !small.isEmpty else {
                for index in open { shares[index] = fair }
                break
            }
            left -= small.reduce(0) { $0 + shares[$1] }
            open.removeAll { shares[$0] <= fair }
        }
        for index in workers.indices {
            let end = plan.segments[workers[index].number]?.limit ?? 0
            workers[index].position = min(Double(end), workers[index].position + shares[index] * step)
        }
    }

    private func observe(_ workers: inout [Worker], _ plan: inout SegmentPlan, _ now: Double) {
        var positions: [Int: Int64] = [:]
        for worker in workers where worker.answer == nil { positions[worker.number] = Int64(worker.position) }
        plan.observe(positions, setup: roundTrip, now: now)
        for index in workers.indices {
            if let speed = plan.segments[workers[index].number]?.speed { workers[index].speed = speed }
        }
    }
}
