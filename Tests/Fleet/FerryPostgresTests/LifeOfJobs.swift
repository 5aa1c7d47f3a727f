import FerryCore
import FerryFleet
import FerryPostgres
import FerryTesting
import Foundation

/// Ordinary work of a fleet: every call of a worker and of users once.
enum LifeOfJobs {
    private static let date = Date(timeIntervalSince1970: 4_102_444_800.123456)

    /// Submits, runs, ends, gives back and lists jobs, and returns what the calls have answered without what differs each time.
    static func perform(_ queue: PostgresQueue) async throws -> [String] {
        var lines: [String] = []
        func note(_ what: String, _ value: Any) { lines.append("\(what): \(value)") }
        try await queue.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: #"m\\'"é—"#))
        note("stores", try await queue.stores())
        try await queue.keep(for: 2_592_001)
        note("kept for", try await queue.keptFor())

        var requests = (1...4).map { QueueUnderTest.request($0) }
        requests[0].key = #"NULL"#
        requests[1].key = #"a\'b "é" — {1,2}"#
        requests[1].batch = #"\\E'"#
        requests[2].notBefore = date
        requests.append(QueueUnderTest.request(5, key: "NULL"))
        note("submitted", try await queue.submit(requests))
        note("again", try await queue.submit(requests))

        guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("wörker")), as: nil),
            case .claimed(let leases, let next) = try await queue.perform(.claim(8), as: member)
        else { throw TestingError("The worker has no jobs.") }
        note(
            "claimed", leases.map { "\($0.key.job) \($0.tries) \($0.path) \($0.origin) \($0.spent.attempts)" }.sorted())
        note("next", (next / 86_400 / 365).rounded())
        let intent = Intent(path: #"/srv/results/é\"#, copy: "c", inode: .max, size: 1 << 40, sha256: "00")
        note("intent", try await queue.perform(.intend([JobIntent(key: leases[0].key, intent: intent)]), as: member))
        let progress = JobProgress(key: leases[1].key, received: 1 << 41, expected: nil)
        note("progress", try await queue.perform(.progress([progress]), as: member))
        note("running", try await queue.jobs(JobQuery()).map(described))
        let failure = ServiceError(.notFound, #"Nothing — “there” \ 'é' \u0041."#)
        note(
            "ended",
            try await queue.perform(
                .finish([
                    JobEnd(
                        key: leases[0].key,
                        outcome: .succeeded(JobResult(path: intent.path, size: 1 << 40, sha256: "00"))),
                    JobEnd(key: leases[1].key, outcome: .failed(failure)),
                ]), as: member))
        note(
            "returned",
            try await queue.perform(
                .giveBack([
                    JobReturn(key: leases[2].key, reason: .retry, delay: 1_000_000.5, error: failure, attempts: 3)
                ]),
                as: member))
        try await queue.hold(Origin(scheme: "https", host: "example.org", port: 443), seconds: 3000)
        guard case .beaten(let heartbeat) = try await queue.perform(.beat(WorkerReport()), as: member) else {
            throw TestingError("The worker was given up.")
        }
        note("holds", heartbeat.holds.map { "\($0.origin) \(($0.seconds / 100).rounded())" })
        note("upkeep", try await queue.perform(.upkeep, as: member))
        for job in try await queue.jobs(JobQuery()) { note("job", described(try await queue.job(job.id))) }
        var query = JobQuery()
        query.states = [.failed]
        query.code = .notFound
        note("failed", try await queue.jobs(query).map(described))
        note("retried", try await queue.act(.retry, on: leases.map(\.key.job)))
        note("canceled", try await queue.act(.cancel, on: leases.map(\.key.job)))
        let status = try await queue.status()
        note(
            "status",
            "\(status.tenants.map { "\($0.waiting) \($0.running)" }) \(status.workers.map(\.name)) \(status.endsInLastMinute)"
        )
        let start = try await queue.ends(after: nil, limit: 1).next
        let first = start.split(separator: ".")[0] + ".0.0"
        note("ends", try await queue.ends(after: String(first), limit: 100).ends.map { described($0.job) })
        note("removed", try await queue.act(.remove, on: leases.map(\.key.job)))
        lines += try await limited(queue, member)
        return lines.map { $0.replacing(/[0-9a-f-]{36}|[0-9]+\/[0-9]+\/[0-9]+/, with: "…") }.flatMap {
            $0.split(separator: "), ").map(String.init)
        }
    }

    /// A limited origin, losses of workers, and the worker's departure.
    private static func limited(_ queue: PostgresQueue, _ member: Membership) async throws -> [String] {
        var lines: [String] = []
        func note(_ what: String, _ value: Any) { lines.append("\(what): \(value)") }
        let origin = Origin(scheme: "https", host: "limited.example", port: 443)
        try await queue.setOrigin(origin, atOnce: 1)
        try await queue.release(origin)
        let ids = try await queue.submit((10..<13).map { QueueUnderTest.request($0, host: "limited.example") })
            .compactMap(\.id)
        note("paused", try await queue.act(.pause, on: [ids[1]]))
        note("resumed", try await queue.act(.resume, on: [ids[1]]))
        guard case .claimed(let leases, _) = try await queue.perform(.claim(8), as: member), let lease = leases.first
        else { throw TestingError("The worker has no job.") }
        note("limited", leases.map { "\($0.key.job) \($0.isLimited)" })
        note("begun", try await queue.perform(.begin([lease.key]), as: member))
        note("landed", try await queue.perform(.landed([lease.key]), as: member))
        note("rescued", try await queue.perform(.rescue, as: member))
        let back = JobReturn(key: lease.key, reason: .local)
        note("given back", try await queue.perform(.giveBack([back]), as: member))
        let reference = JobReference(job: lease.key.job, token: lease.key.token)
        guard case .reclaimed(let again) = try await queue.perform(.reclaim([reference]), as: member) else {
            throw TestingError("Nothing was claimed again.")
        }
        note("reclaimed", again.map { "\($0.key.job) \($0.key.fence)" })
        note("drained", try await queue.drain(nil, patience: 60))
        let facts = try await queue.facts()
        note("facts", "\(facts.schema) \(facts.isAutovacuumOn) \(facts.synchronousStandbys)")
        guard
            case .joined(let next, let held) = try await queue.perform(.join(QueueUnderTest.worker("wörker")), as: nil)
        else { throw TestingError("The worker did not join.") }
        note("held", held.map { "\($0.key.job) \($0.tries)" })
        note("left", try await queue.perform(.leave, as: next))
        note("in the end", try await queue.jobs(JobQuery()).map(described))
        return lines
    }

    private static func described(_ job: Job) -> String {
        let ready = job.times.ready.map { ($0.timeIntervalSinceNow / 1000).rounded() }
        let begin = job.reason == .beginDate ? "\(job.times.ready?.timeIntervalSince1970 ?? 0)" : "\(ready ?? 0)"
        let isRecent = abs(job.times.created.timeIntervalSinceNow) < 600
        return
            "\(job.id) \(job.state) \(job.reason.map { "\($0)" } ?? "-") \(job.url) \(job.destination) \(job.labels) \(job.claims) \(job.bytes) \(begin) \(isRecent) \(job.result.map { "\($0)" } ?? "-") \(job.error?.message ?? "-") \(job.history?.map { "\($0.fence) \($0.reason) \($0.error?.message ?? "")" } ?? [])"
    }
}
