import FerryCore
import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryEngine

/// The law that a failed transfer can succeed once the cause of its failure is gone.
@Suite(.timeLimit(.minutes(3))) struct `A retry after a disk error` {
    /// A regression: an empty file counted as complete although it had not been created, and failed for good.
    @Test(arguments: DiskCall.allCases, [0, 1, 9000, 300_000] as [Int64])
    func `succeeds, whichever call has failed`(call: DiskCall, size: Int64) async throws {
        let body = SeededBody(seed: 71, size: size)
        for passing in 0..<6 {
            for isShort in [false, true] where size <= 9000 || !isShort {
                try await withEngine(OriginScript(body)) { harness, origin in
                    let request = harness.request(origin.url()) { $0.file.onConflict = .replace }
                    harness.disk.fail(call, EACCES, after: passing, times: .max)
                    let failed = await harness.transfer(request, tries: 2) {
                        if isShort { EngineHarness.expectShort(&$0) }
                    }
                    harness.disk.fail(call, EACCES, times: 0)
                    guard failed.success == nil else { return }
                    let again = await harness.transfer(request, from: failed.facts)
                    #expect(again.success?.size == size, "\(call) \(passing): \(failed.errors), then \(again.errors)")
                    let digest = try sha256(harness.path("file.bin"))
                    #expect(digest == body.sha256Hex)
                    #expect(harness.contents == ["file.bin"])
                }
            }
        }
    }
}
