import FerryCore
import FerryEngine
import FerryRules
import FerryService
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Transfers that need a lease` {
    private static let body = SeededBody(seed: 29, size: 300_000)

    private static var uptime: Double { SystemClock().active.uptime }

    private func renew(_ bed: ServiceBed, by seconds: Double) async throws {
        try await bed.service.renewLease(of: .cli, until: Self.uptime + seconds)
    }

    @Test(arguments: ServiceKind.allCases)
    func `wait for it, stop when it ends, and resume from their last byte`(_ kind: ServiceKind) async throws {
        let script = OriginScript(
            Self.body, .on(.path("/file.bin").and(.pathRequests(1...1)), .hold("h", at: .body(100_000))))
        try await withService(kind, script) { bed in
            let id = try await bed.add { $0.transport.network.needsLease = true }.id
            let waiting = try await bed.wait(for: id, waiting: .lease)
            #expect(waiting.attempts == 0 && waiting.error == nil)
            // Others run.
            try await bed.wait(for: bed.add("/other").id, .succeeded)
            try await eventually("the first bytes") {
                try await renew(bed, by: 1)
                return try await bed.service.transfer(id).bytesReceived >= 100_000
            }
            let stopped = try await bed.wait(for: id, waiting: .lease)
            #expect(stopped.bytesReceived == 100_000 && stopped.error == nil)
            try await renew(bed, by: 3000)
            #expect(try await bed.wait(for: id, .succeeded).startedOver == 0)
            #expect(bed.ranges() == [nil, "bytes=100000-"])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `have none after a restart of the service`(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(Self.body)) { origin in
                var id = TransferID(rawValue: 0)
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    id = try await bed.add { $0.transport.network.needsLease = true }.id
                    try await bed.wait(for: id, waiting: .lease)
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    try await bed.wait(for: id, waiting: .lease)
                    try await bed.wait(for: bed.add("/other").id, .succeeded)
                    #expect(try await bed.service.transfer(id).attempts == 0)
                    try await renew(bed, by: 3000)
                    try await bed.wait(for: id, .succeeded)
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `have an hour at most`(_ kind: ServiceKind) async throws {
        try await withService(kind, OriginScript(Self.body)) { bed in
            for seconds in [3700, 1e12] {
                let error = await #expect(throws: ServiceError.self) { try await renew(bed, by: seconds) }
                #expect(error?.code == .invalidRequest)
            }
            try await renew(bed, by: -5)
            let id = try await bed.add { $0.transport.network.needsLease = true }.id
            try await bed.wait(for: id, waiting: .lease)
        }
    }
}
