/// Many ids in compact JSON: the first of consecutive ids, and the number of those after it.
///
/// `["0000000000000007+2"]` stands for 7, 8 and 9. Transfers submitted together have such ids. A short text may name
/// more ids than fit in memory, so a client's ids are intersected with the existing ones and never expanded.
package struct TransferIDRuns: Hashable, Sendable {
    /// Consecutive ids, including both ends.
    package struct Run: Hashable, Sendable {
        package let first: TransferID
        package let last: TransferID

        fileprivate func follows(_ other: Run) -> Bool {
            first.rawValue > 0 && first.rawValue - 1 == other.last.rawValue
        }
    }

    /// In given order. Runs may overlap.
    package private(set) var runs: [Run] = []

    package init(_ ids: [TransferID]) {
        for id in ids { append(Run(first: id, last: id)) }
    }

    /// Appends a run, merged with the last one if adjacent.
    private mutating func append(_ run: Run) {
        if let last = runs.last, run.follows(last) {
            runs[runs.count - 1] = Run(first: last.first, last: run.last)
        } else {
            runs.append(run)
        }
    }

    /// The runs in ascending order, without overlaps.
    package var merged: [Run] {
        var merged: [Run] = []
        for run in runs.sorted(by: { $0.first < $1.first }) {
            guard let last = merged.last, run.first <= last.last || run.follows(last) else {
                merged.append(run)
                continue
            }
            merged[merged.count - 1] = Run(first: last.first, last: max(last.last, run.last))
        }
        return merged
    }

    /// The existing ids within the runs, in the order of the runs, without duplicates.
    ///
    /// - Parameter existing: In ascending order.
    package func selected(from existing: [TransferID]) -> [TransferID] {
        var selected: [TransferID] = []
        // Index of the next unselected id for each id, so that overlapping runs are skipped in one step.
        var next = Array(0...existing.count)
        func free(from index: Int) -> Int {
            var end = index
            while next[end] != end { end = next[end] }
            var step = index
            while next[step] != end {
                let after = next[step]
                next[step] = end
                step = after
            }
            return end
        }
        for run in runs {
            var index = free(from: existing.firstIndex(atLeast: run.first))
            while index < existing.count, existing[index] <= run.last {
                selected.append(existing[index])
                next[index] = index + 1
                index = free(from: index + 1)
            }
        }
        return selected
    }

    /// The first ids within the runs that do not exist.
    ///
    /// - Parameter existing: In ascending order.
    package func unknown(among existing: [TransferID], atMost limit: Int) -> [TransferID] {
        var unknown: [TransferID] = []
        // Without overlaps each existing id is visited once.
        var stepsLeft = existing.count
        for run in runs {
            var index = existing.firstIndex(atLeast: run.first)
            var value = run.first.rawValue
            while unknown.count < limit, stepsLeft >= 0 {
                if index < existing.count, existing[index].rawValue == value {
                    index += 1
                    stepsLeft -= 1
                } else {
                    unknown.append(TransferID(rawValue: value))
                }
                guard value < run.last.rawValue else { break }
                value += 1
            }
        }
        return unknown
    }

    /// Maximum number of expanded ids: more than a daemon can have.
    private static let mostWritten = 1 << 24

    /// All ids, from a peer that lists existing transfers, or nil if there are more than any peer has.
    package var ids: [TransferID]? {
        var ids: [TransferID] = []
        for run in runs {
            let (first, last) = (run.first.rawValue, run.last.rawValue)
            guard last - first < UInt64(Self.mostWritten - ids.count) else { return nil }
            for value in first...last { ids.append(TransferID(rawValue: value)) }
        }
        return ids
    }
}

extension TransferIDRuns: ExpressibleByArrayLiteral {
    package init(arrayLiteral ids: TransferID...) { self.init(ids) }
}

extension TransferIDRuns: Codable {
    package init(from decoder: any Decoder) throws {
        var box = try decoder.unkeyedContainer()
        while !box.isAtEnd {
            guard let run = Run(try box.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: box,
                    debugDescription: "a transfer id has 16 hexadecimal digits, and may have a + and a number after it")
            }
            runs.append(run)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.unkeyedContainer()
        for run in runs { try box.encode(run.description) }
    }
}

extension TransferIDRuns.Run: LosslessStringConvertible {
    package init?(_ text: String) {
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let more = parts.count == 1 ? 0 : Int(parts[1])
        guard let first = TransferID(String(parts[0])), let more, more >= 0 else { return nil }
        let (last, overflow) = first.rawValue.addingReportingOverflow(UInt64(more))
        guard !overflow else { return nil }
        self.init(first: first, last: TransferID(rawValue: last))
    }

    package var description: String {
        first == last ? first.description : "\(first)+\(last.rawValue - first.rawValue)"
    }
}

extension KeyedDecodingContainer {
    /// Decodes the ids from a peer that lists existing transfers.
    package func decodeIDs(forKey key: Key) throws -> [TransferID] {
        guard let ids = try decode(TransferIDRuns.self, forKey: key).ids else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "these are more ids than there are transfers")
        }
        return ids
    }
}

extension [TransferID] {
    /// The index of the first element not below an id. The elements are ascending.
    fileprivate func firstIndex(atLeast id: TransferID) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
