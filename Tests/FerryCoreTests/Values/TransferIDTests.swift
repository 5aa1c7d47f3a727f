// Ferry: FerryCoreTests
// The names of transfers.

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
