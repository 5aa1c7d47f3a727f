// Ferry: FerryCoreTests
// Many ids as JSON.

import FerryCore
import Foundation
import Testing

@Suite struct `Runs of transfer ids` {
    private func runs(_ texts: [String]) throws -> TransferIDRuns {
        try JSONDecoder().decode(TransferIDRuns.self, from: JSONEncoder().encode(texts))
    }

    private func ids(_ values: [UInt64]) -> [TransferID] { values.map(TransferID.init) }

    @Test func `a run that names more ids than memory holds is compared with what exists`() throws {
        let existing = ids([3, 4, 9, 1 << 40])
        let runs = try runs(["0000000000000004+1152921504606846976", "0000000000000000+9223372036854775807"])
        #expect(runs.selected(from: existing) == ids([4, 9, 1 << 40, 3]))
        #expect(runs.unknown(among: existing, atMost: 5) == ids([5, 6, 7, 8, 10]))
        #expect(runs.merged.count == 1 && runs.ids == nil)
    }

    @Test func `many runs that overlap cost what exists, not what they name`() throws {
        let existing = ids(Array(0..<20_000))
        let runs = try runs(Array(repeating: "0000000000000000+16777214", count: 20_000))
        #expect(runs.selected(from: existing) == existing)
        #expect(runs.unknown(among: existing, atMost: 3) == ids([20_000, 20_001, 20_002]))
    }

    @Test func `ids keep the order in which they are named, each once`() throws {
        let existing = ids([1, 2, 3, 4, 5])
        let runs = try runs(["0000000000000004", "0000000000000002+1", "0000000000000003+1", "0000000000000007"])
        #expect(runs.selected(from: existing) == ids([4, 2, 3]))
        #expect(runs.unknown(among: existing, atMost: 10) == ids([7]))
        #expect(runs.ids == ids([4, 2, 3, 3, 4, 7]))
        #expect(TransferIDRuns([]).selected(from: existing) == [] && runs.selected(from: []) == [])
    }

    @Test func `the last id of all ends a run`() throws {
        let runs = try runs(["fffffffffffffffe+1"])
        #expect(runs.unknown(among: ids([.max]), atMost: 9) == ids([.max - 1]))
        #expect(runs.selected(from: ids([.max])) == ids([.max]))
        #expect(TransferIDRuns(ids([.max, 0])).runs.count == 2)
    }
}
