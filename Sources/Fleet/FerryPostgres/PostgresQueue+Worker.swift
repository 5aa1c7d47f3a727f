import FerryAPI
package import FerryCore
package import FerryFleet
import FerryFoundation

/// Calls of workers.
extension PostgresQueue {
    package func perform(_ call: WorkerCall, as member: Membership?) async throws(ServiceError) -> WorkerAnswer {
        if case .join(let worker) = call { return try join(worker) }
        guard let member else { return .givenUp }
        let own: [Parameter] = [.int(member.worker), .int(member.epoch)]
        switch call {
        case .join: return .givenUp
        case .beat(let report): return try beat(own, report)
        case .rescue:
            guard let rows = try callAsWorker("rescue", own)?.rows else { return .givenUp }
            return .rescued(
                try rows.map { row throws(ServiceError) in
                    Rescue(name: try row.value(0) { $0 }, jobs: try row.value(1) { Int($0) })
                })
        case .claim(let want):
            guard let rows = try callAsWorker("claim", own + [.count(want)])?.rows else { return .givenUp }
            let leases = try Self.leases(PostgresRows(rows: rows.filter { $0.first != .some(nil) }))
            guard leases.count < want else { return .claimed(leases, next: 0) }
            // The last row has no job, and says when to ask again.
            return .claimed(leases, next: rows.last?.last.flatMap { $0 }.flatMap(Double.init) ?? .infinity)
        case .reclaim(let jobs):
            let parameters: [Parameter] = [
                .array("bigint", of: jobs.map(\.job)), .array("uuid", of: jobs.map(\.token)),
            ]
            guard let rows = try callAsWorker("reclaim", own + parameters) else { return .givenUp }
            return .reclaimed(try Self.leases(rows))
        case .finish(let ends): return try finish(ends, own)
        case .giveBack(let returns): return try giveBack(returns, own)
        case .begin(let keys): return try tell("begin_jobs", own, keys)
        case .landed(let keys): return try tell("landed", own, keys)
        case .intend(let intents): return try intend(intents, own)
        case .progress(let jobs): return try progress(jobs, own)
        case .hold(let origin, let seconds):
            try await hold(origin, seconds: seconds)
            return .done
        case .upkeep:
            _ = try self.call("upkeep_days", [])
            // A few steps, so that heartbeats are not held up.
            for _ in 0..<Self.mostUpkeepSteps {
                guard try self.call("upkeep", []).single == "t" else { break }
            }
            return .done
        case .leave:
            return try self.call("leave", own).single == "t" ? .done : .givenUp
        }
    }

    private static let mostUpkeepSteps = 20

    private func join(_ worker: WorkerDescription) throws(ServiceError) -> WorkerAnswer {
        let rows = try call(
            "join_fleet",
            [
                .text(worker.name), .text(worker.identity), .text(worker.machine), .text(worker.version),
                .number(worker.lease), .count(worker.slots), .array("text", worker.labels),
            ])
        let row = rows.rows.first ?? []
        guard try row.value(0, { $0 }) == "joined" else {
            throw .inUse(worker.name, by: row.indices.contains(4) ? row[4] ?? "" : "")
        }
        let member = Membership(
            worker: try row.value(1) { Int32($0) }, epoch: try row.value(2) { Int32($0) },
            server: try row.value(3) { $0 }, listens: isListening)
        let held = try call("held", [.int(member.worker), .int(member.epoch)])
        return .joined(member, try Self.leases(held))
    }

    private func beat(_ own: [Parameter], _ report: WorkerReport) throws(ServiceError) -> WorkerAnswer {
        guard let text = try call("beat", own + [.count(report.running), .text(report.condition)]).single else {
            return .givenUp
        }
        let wire: WireHeartbeat = try Self.decode(text)
        var heartbeat = Heartbeat(server: wire.server)
        heartbeat.patience = wire.patience
        heartbeat.next = wire.next ?? .infinity
        heartbeat.hasLateWorkers = wire.late
        heartbeat.holds = wire.holds
        heartbeat.wishes = wire.wishes.map {
            Heartbeat.JobWish(key: LeaseKey(job: $0.job, token: $0.token, fence: $0.fence), wish: $0.wish)
        }
        return .beaten(heartbeat)
    }

    private struct WireHeartbeat: Decodable {
        struct Wish: Decodable {
            var job: JobID
            var token: JobToken
            var fence: Int32
            var wish: Heartbeat.Wish
        }
        var server: String
        var patience: Double?
        var next: Double?
        var late: Bool
        var wishes: [Wish]
        var holds: [Heartbeat.Hold]
    }

    static func keys(_ keys: [LeaseKey]) -> [Parameter] {
        [
            .array("bigint", of: keys.map(\.job)), .array("uuid", of: keys.map(\.token)),
            .array("int", of: keys.map(\.fence)),
        ]
    }

    private static func leases(_ rows: PostgresRows) throws(ServiceError) -> [Lease] {
        try rows.rows.map { row throws(ServiceError) in
            let key = LeaseKey(
                job: try row.value(0) { JobID($0) }, token: try row.value(1) { JobToken($0) },
                fence: try row.value(2) { Int32($0) })
            // A request of a newer version is given back, and stops no other.
            let request: TransferRequest? = try row.value(5) { $0.isEmpty ? nil : .some(try? decode($0)) }
            let intents: [Intent] =
                row.indices.contains(6) ? try row[6].map { text throws(ServiceError) in try decode(text) } ?? [] : []
            return Lease(
                key: key, tries: try row.value(3) { Int($0) }, rescues: try row.value(9) { Int($0) },
                isLimited: try row.value(4) { $0 == "t" }, hasLanded: try row.value(14) { $0 == "t" }, request: request,
                path: try row.value(7) { $0 },
                origin: try row.value(8) { $0 }, intents: intents,
                spent: Spent(
                    attempts: try row.value(10) { Int($0) }, failing: row[11].flatMap(Double.init),
                    sinceStart: row[12].flatMap(Double.init), machineFailures: try row.value(13) { Int($0) }))
        }
    }

    // MARK: JSON

    static func json(_ value: some Encodable) -> String {
        // Ferry's values have no numbers that JSON lacks.
        (try? APIJSON.bytes(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    static func decode<Value: Decodable>(_ text: String) throws(ServiceError) -> Value {
        do {
            return try APIJSON.decoder.decode(Value.self, from: Data(text.utf8))
        } catch {
            throw ServiceError(
                .queueUnsuitable,
                "The fleet's database returned a value that this release cannot read. Upgrade ferry-fleet.")
        }
    }
}
