import FerryCore
import Foundation
import Testing

@Suite struct `Byte range set` {
    /// A linear congruential generator with the same numbers in every run.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `any inserts and removals give what a set of positions gives`(seed: UInt64) {
        var generator = Seeded(state: seed)
        var ranges = ByteRangeSet()
        var model: Set<Int64> = []
        for _ in 0..<200 {
            let lower = Int64.random(in: 0..<60, using: &generator)
            let range = lower..<lower + Int64.random(in: 0..<12, using: &generator)
            if Bool.random(using: &generator) {
                ranges.insert(range)
                model.formUnion(range)
            } else {
                ranges.remove(range)
                model.subtract(range)
            }
            #expect(Set(ranges.ranges.flatMap { Array($0) }) == model)
            #expect(ranges.byteCount == Int64(model.count))
            #expect(ranges.upperBound == (model.max().map { $0 + 1 } ?? 0))
            #expect(ranges.isEmpty == model.isEmpty)
            #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            let window = Int64(10)..<Int64(50)
            #expect(Set(ranges.gaps(in: window).flatMap { Array($0) }) == Set(window).subtracting(model))
            #expect(ranges.contains(range) == model.isSuperset(of: range))
            var end = lower
            while model.contains(end) { end += 1 }
            #expect(ranges.contiguousEnd(from: lower) == end)
        }
    }

    @Test func `touching ranges become one`() {
        var ranges = ByteRangeSet(0..<10)
        ranges.insert(20..<30)
        ranges.insert(10..<20)
        #expect(ranges.ranges == [0..<30])
        ranges.removeAll()
        #expect(ranges.isEmpty)
    }

    @Test func `the wire form is an array of pairs`() throws {
        var ranges = ByteRangeSet(0..<10)
        ranges.insert(20..<30)
        let data = try JSONEncoder().encode(ranges)
        #expect(String(decoding: data, as: UTF8.self) == "[[0,10],[20,30]]")
        #expect(try JSONDecoder().decode(ByteRangeSet.self, from: data) == ranges)
        #expect(try JSONDecoder().decode(ByteRangeSet.self, from: Data("[]".utf8)).isEmpty)
        #expect(try JSONDecoder().decode(ByteRangeSet.self, from: Data("[[0,5],[5,9]]".utf8)).ranges == [0..<9])
    }

    @Test(arguments: [
        "[[-1,5]]", "[[5,1]]", "[[5,5]]", "[[0,10],[5,20]]", "[[10,20],[0,5]]", "[[1]]", "[[1,2,3]]", "[1,2]", "{}",
        "[[0,9223372036854775808]]", "[[0.5,2]]", "[[\"0\",2]]", "[[0,null]]",
    ])
    func `malformed data is refused`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ByteRangeSet.self, from: Data(json.utf8))
        }
    }
}
