/// A set of byte positions as sorted, disjoint, coalesced half-open ranges.
///
/// Encoded as an array of `[lower, upper]` pairs, excluding the upper bound.
package struct ByteRangeSet: Hashable, Sendable {
    /// Ascending. No range is empty, and no two are adjacent.
    package private(set) var ranges: [Range<Int64>] = []

    package init() {}

    package init(_ range: Range<Int64>) {
        insert(range)
    }

    package var isEmpty: Bool { ranges.isEmpty }

    package var byteCount: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    /// End of the last range, or 0.
    package var upperBound: Int64 { ranges.last?.upperBound ?? 0 }

    /// Whether the set contains every byte of a range. True for an empty range.
    package func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty || contiguousEnd(from: range.lowerBound) >= range.upperBound
    }

    /// End of the range that contains a position, or the position itself.
    package func contiguousEnd(from position: Int64) -> Int64 {
        let index = firstIndex(endingAfter: position)
        guard index < ranges.count, ranges[index].lowerBound <= position else { return position }
        return ranges[index].upperBound
    }

    /// The parts of a range that are not in the set, ascending.
    package func gaps(in range: Range<Int64>) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position = range.lowerBound
        var index = firstIndex(endingAfter: position)
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
            if position < ranges[index].lowerBound { gaps.append(position..<ranges[index].lowerBound) }
            position = ranges[index].upperBound
            index += 1
        }
        if position < range.upperBound { gaps.append(position..<range.upperBound) }
        return gaps
    }

    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // A range that ends where the new one begins is merged.
        let start = firstIndex(endingAtOrAfter: range.lowerBound)
        var end = start
        var joined = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            joined =
                min(joined.lowerBound, ranges[end].lowerBound)..<max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: CollectionOfOne(joined))
    }

    package mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let start = firstIndex(endingAfter: range.lowerBound)
        var end = start
        var rests: [Range<Int64>] = []
        while end < ranges.count, ranges[end].lowerBound < range.upperBound {
            let touched = ranges[end]
            if touched.lowerBound < range.lowerBound { rests.append(touched.lowerBound..<range.lowerBound) }
            if touched.upperBound > range.upperBound { rests.append(range.upperBound..<touched.upperBound) }
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: rests)
    }

    package mutating func removeAll() {
        ranges.removeAll()
    }

    private func firstIndex(endingAfter position: Int64) -> Int {
        partitionPoint { $0.upperBound > position }
    }

    private func firstIndex(endingAtOrAfter position: Int64) -> Int {
        partitionPoint { $0.upperBound >= position }
    }

    /// The first index whose range meets a monotonic condition.
    private func partitionPoint(_ isMet: (Range<Int64>) -> Bool) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if isMet(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ByteRangeSet: CustomStringConvertible {
    package var description: String {
        "[" + ranges.map { "\($0.lowerBound)..<\($0.upperBound)" }.joined(separator: ", ") + "]"
    }
}

extension ByteRangeSet: Codable {
    /// Decodes the output of `encode(to:)`.
    ///
    /// - Throws: `DecodingError` for a pair that is not two numbers, is negative, empty or reversed, overlaps the
    ///   previous pair, or ends beyond the maximum file size.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            var pair = try container.nestedUnkeyedContainer()
            let lower = try pair.decode(Int64.self)
            let upper = try pair.decode(Int64.self)
            guard pair.isAtEnd, lower >= upperBound, lower < upper, upper <= SettingRange<Int64>.mostBytes else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Byte ranges are ascending, disjoint pairs of [lower, upper).")
            }
            insert(lower..<upper)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for range in ranges {
            var pair = container.nestedUnkeyedContainer()
            try pair.encode(range.lowerBound)
            try pair.encode(range.upperBound)
        }
    }
}
