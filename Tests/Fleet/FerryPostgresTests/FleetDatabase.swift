import FerryCore
import FerryFleet
import FerryTesting

@testable import FerryPostgres

/// A database with the schema of a fleet and a store, and what tests do with it.
enum FleetDatabase {
    static func failure(_ body: () async throws -> Void) async -> ServiceError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ServiceError
        }
    }

    static func withQueue(
        on server: PostgresServer? = nil, _ body: (PostgresServer, String, PostgresQueue) async throws -> Void
    ) async throws {
        let shared = try await PostgresServer.shared()
        let server = server ?? shared
        let database = try await server.makeDatabase()
        let address = try DatabaseAddress(server.address(database))
        _ = try SchemaMigration.initialize(address)
        let queue = PostgresQueue(address)
        do {
            try await queue.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "m"))
            try await body(server, database, queue)
        } catch {
            await queue.close()
            throw error
        }
        await queue.close()
    }

    /// A worker with this number of jobs, after as many claims as that takes.
    static func worker(
        _ queue: PostgresQueue, with count: Int
    ) async throws -> (member: Membership, leases: [Lease]) {
        guard case .joined(let member, _) = try await queue.perform(.join(QueueUnderTest.worker("w")), as: nil)
        else { throw TestingError("The worker did not join.") }
        var leases: [Lease] = []
        while leases.count < count {
            guard case .claimed(let more, _) = try await queue.perform(.claim(count - leases.count), as: member),
                !more.isEmpty
            else { throw TestingError("The worker has \(leases.count) jobs.") }
            leases += more
        }
        return (member, leases)
    }
}
