import FerryCore
import FerryTesting
import Foundation
import Testing

/// Transfers of a server whose recent files were small: their requests use connections without the HTTP client.
@Suite(.timeLimit(.minutes(2))) struct `Transfers of a server with small files` {
    private static let body = SeededBody(seed: 77, size: 3000)
    private static let large = SeededBody(seed: 78, size: 300_000)

    private func withSmallFiles(
        _ rules: OriginRule..., then check: (ServiceBed) async throws -> Void
    ) async throws {
        try await withStoredService(OriginScript(Self.body, rules: rules)) { bed, _ in
            // The number of recent files that decides.
            for number in 0..<8 {
                let id = try await bed.add("/recent\(number)").id
                try await bed.wait(for: id, .succeeded)
            }
            #expect(bed.origin.requests.count == 8)
            try await check(bed)
        }
    }

    private func expect(_ body: SeededBody, _ transfer: Transfer) throws {
        let digest = try FileDigest.sha256(try #require(transfer.destination))
        #expect(digest == body.sha256Hex)
    }

    @Test func `share another connection`() async throws {
        try await withSmallFiles { bed in
            let connections = bed.origin.facts.connections
            for number in 0..<5 {
                let id = try await bed.add("/next\(number)").id
                try expect(Self.body, try await bed.wait(for: id, .succeeded))
            }
            #expect(bed.origin.requests.count == 13 && bed.origin.facts.connections == connections + 1)
        }
    }

    @Test func `get a large file by another request, and those after it as before`() async throws {
        try await withSmallFiles(.on(.path("/large*"), .version(Self.large))) { bed in
            let id = try await bed.add("/large.bin").id
            try expect(Self.large, try await bed.wait(for: id, .succeeded))
            #expect(bed.origin.requests.count == 10)
            let next = try await bed.add("/large2.bin").id
            try expect(Self.large, try await bed.wait(for: next, .succeeded))
            #expect(bed.origin.requests.count == 11)
        }
    }

    @Test func `pause and resume in the middle of a response`() async throws {
        try await withSmallFiles(.on(.both(.path("/held"), .pathRequests(1..<2)), .hold("body", at: .body(1000)))) {
            bed in
            let id = try await bed.add("/held").id
            await bed.origin.wait { $0.held.contains("body") }
            _ = try await bed.service.act(.pause, on: TransferSelection(ids: [id]))
            try await bed.wait(for: id, .suspended)
            bed.origin.release("body")
            _ = try await bed.service.act(.resume, on: TransferSelection(ids: [id]))
            try expect(Self.body, try await bed.wait(for: id, .succeeded))
        }
    }
}
