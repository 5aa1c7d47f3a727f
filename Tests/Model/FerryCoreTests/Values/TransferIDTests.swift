import FerryCore
import Foundation
import Testing

@Suite struct `Transfer ids` {
    @Test func `are written with sixteen digits and read again`() throws {
        for value: UInt64 in [0, 1, 0xABC, .max] {
            let id = TransferID(rawValue: value)
            #expect(id.description.count == 16 && TransferID(id.description) == id)
            #expect(try JSONDecoder().decode([TransferID].self, from: JSONEncoder().encode([id])) == [id])
        }
        #expect(TransferID("00000000000000AB")?.rawValue == 0xAB)
    }

    @Test(arguments: [
        "", "1", "000000000000001", "00000000000000001", "000000000000000g", "+00000000000000a", "0x0000000000000a",
        "００００００００００００００００",
    ])
    func `are nothing else`(text: String) {
        #expect(TransferID(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TransferID].self, from: JSONEncoder().encode([text]))
        }
    }

    /// A text of a few bytes must not fill the memory.
    @Test func `are not written out if a run names more than a daemon can have`() throws {
        let text = #"["0000000000000001+99999999999", "0000000000000007"]"#
        let runs = try JSONDecoder().decode(TransferIDRuns.self, from: Data(text.utf8))
        #expect(runs.ids == nil)
        let existing = [3, 5].map { TransferID(rawValue: $0) }
        #expect(runs.selected(from: existing) == existing)
        #expect(runs.unknown(among: existing, atMost: 3).map(\.rawValue) == [1, 2, 4])
    }

    @Test func `rise with time`() {
        let first = TransferID.next(after: nil, milliseconds: 1_700_000_000_000)
        let second = TransferID.next(after: first, milliseconds: 1_700_000_000_001)
        #expect(first < second && second.rawValue - first.rawValue == 1 << 20)
    }

    @Test func `rise within a millisecond, and when the clock steps back`() {
        var last = TransferID.next(after: nil, milliseconds: 1000)
        for step in 0..<3000 {
            let next = TransferID.next(after: last, milliseconds: step.isMultiple(of: 2) ? 1000 : 5)
            #expect(next > last)
            last = next
        }
    }

    @Test func `rise when a millisecond is exhausted`() {
        let last = TransferID(rawValue: (1000 << 20) + (1 << 20) - 1)
        let next = TransferID.next(after: last, milliseconds: 1000)
        #expect(next.rawValue == 1001 << 20)
        #expect(TransferID.next(after: next, milliseconds: 1001) > next)
    }
}

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

    @Test func `many overlapping runs cost the existing ranges, not the named ones`() throws {
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
