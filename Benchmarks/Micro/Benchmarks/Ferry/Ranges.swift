import Benchmark
import FerryCore

/// The range set as segments fill it.
func rangeBenchmarks() {
    let size: Int64 = 1 << 30
    let block: Int64 = 1 << 20

    Benchmark("ranges-eight-writers", configuration: .init(scalingFactor: .one)) { benchmark in
        for _ in benchmark.scaledIterations {
            var ranges = ByteRangeSet()
            for step in 0..<(size / block / 8) {
                for writer in 0..<8 as Range<Int64> {
                    let position = writer * (size / 8) + step * block
                    ranges.insert(position..<position + block)
                }
            }
            blackHole(ranges)
        }
    }
    Benchmark("ranges-gaps-of-1000", configuration: .init(scalingFactor: .one)) { benchmark in
        var ranges = ByteRangeSet()
        for number in 0..<1000 as Range<Int64> { ranges.insert(number * 2 * block..<(number * 2 + 1) * block) }
        for _ in benchmark.scaledIterations { blackHole(ranges.gaps(in: 0..<2000 * block)) }
    }
}
