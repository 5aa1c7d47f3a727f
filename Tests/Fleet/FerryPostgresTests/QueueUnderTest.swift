import FerryCore
import FerryFleet
import FerryPostgres
import FerryTesting
import FleetKit
import Testing

/// One of the two shared queues, with a clock that a test moves.
struct QueueUnderTest: Sendable {
    enum Kind: String, CaseIterable, Sendable { case memory, postgres }

    static let folder = "/srv/results"

    let queue: any SharedQueue
    /// Lets time pass.
    let advance: @Sendable (Double) async throws -> Void
    let close: @Sendable () async -> Void

    /// Kinds that can be tested on this machine.
    static let kinds: [Kind] = PostgresServer.programs == nil ? [.memory] : Kind.allCases

    init(_ kind: Kind) async throws {
        switch kind {
        case .memory:
            let memory = SharedMemoryQueue()
            queue = memory
            advance = { await memory.advance(by: $0) }
            close = {}
        case .postgres:
            let server = try await PostgresServer.shared()
            let database = try await server.makeDatabase()
            let address = try DatabaseAddress(server.address(database))
            _ = try SchemaMigration.initialize(address)
            let postgres = PostgresQueue(address)
            queue = postgres
            // Only the server's clock counts, so what it is compared with moves.
            advance = { seconds in
                let by = "interval '\(seconds) seconds'"
                try await server.query(
                    """
                    UPDATE ferry.workers SET alive_until = alive_until - \(by), beating_since = beating_since - \(by),
                      contender_since = contender_since - \(by), beat_at = beat_at - \(by);
                    UPDATE ferry.jobs SET ready_at = ready_at - \(by);
                    UPDATE ferry.origins SET hold_until = hold_until - \(by)
                    """, in: database)
            }
            close = { await postgres.close() }
        }
        try await queue.setStore(Store(name: "results", folder: Self.folder, mark: "mark"))
    }

    /// Runs a test with a fresh queue.
    static func with(_ kind: Kind, _ body: (QueueUnderTest) async throws -> Void) async throws {
        let subject = try await QueueUnderTest(kind)
        do {
            try await body(subject)
        } catch {
            await subject.close()
            throw error
        }
        await subject.close()
    }

    // MARK: Shortcuts

    static func request(
        _ number: Int, host: String = "example.org", policy: ConflictPolicy = .fail, key: String? = nil,
        needs: String = "", priority: Priority = .normal
    ) -> JobRequest {
        var transfer = TransferRequest(url: "https://\(host)/files/\(number)", folder: folder)
        transfer.file.name = "file-\(number)"
        transfer.file.onConflict = policy
        transfer.timing.priority = priority
        return JobRequest(transfer: transfer, key: key, needs: needs)
    }

    /// Adds jobs and returns their numbers.
    @discardableResult
    func add(_ requests: [JobRequest]) async throws -> [JobID] {
        try await queue.submit(requests).map { try #require($0.id, "\(String(describing: $0.error))") }
    }

    @discardableResult
    func add(_ count: Int, host: String = "example.org") async throws -> [JobID] {
        try await add((1...count).map { Self.request($0, host: host) })
    }

    static func worker(_ name: String, identity: String? = nil, labels: [String] = []) -> WorkerDescription {
        WorkerDescription(
            name: name, identity: identity ?? "machine of \(name)", version: "1", lease: 30, slots: 8, labels: labels)
    }

    func join(_ worker: WorkerDescription) async throws -> (Membership, [Lease]) {
        guard case .joined(let member, let leases) = try await queue.perform(.join(worker), as: nil) else {
            throw TestingError("The worker did not join.")
        }
        return (member, leases)
    }

    func join(_ name: String) async throws -> Membership { try await join(Self.worker(name)).0 }

    func claim(_ count: Int, _ member: Membership) async throws -> [Lease] {
        guard case .claimed(let leases, _) = try await queue.perform(.claim(count), as: member) else {
            throw TestingError("The worker was given up.")
        }
        return leases
    }

    func beat(_ member: Membership) async throws -> Heartbeat? {
        if case .beaten(let heartbeat) = try await queue.perform(.beat(WorkerReport()), as: member) {
            heartbeat
        } else {
            nil
        }
    }

    /// Lets so much time pass that the leases of all workers but one are over.
    func outliveOthers(_ member: Membership) async throws {
        for _ in 0..<4 {
            try await advance(10)
            _ = try await beat(member)
        }
    }

    func rescue(_ member: Membership) async throws -> [Rescue] {
        guard case .rescued(let rescues) = try await queue.perform(.rescue, as: member) else {
            throw TestingError("The worker was given up.")
        }
        return rescues
    }

    /// Ends jobs as succeeded and returns the stale leases.
    func finish(_ leases: [Lease], _ member: Membership, sha256: String = "00") async throws -> [LeaseKey] {
        let ends = leases.map { lease in
            let path = "\(Self.folder)/\(lease.request?.file.name ?? "")"
            return JobEnd(key: lease.key, outcome: .succeeded(JobResult(path: path, size: 1, sha256: sha256)))
        }
        return try await stale(.finish(ends), member)
    }

    func stale(_ call: WorkerCall, _ member: Membership) async throws -> [LeaseKey] {
        guard case .stale(let keys) = try await queue.perform(call, as: member) else {
            throw TestingError("Not the answer of a fenced call.")
        }
        return keys
    }
}
