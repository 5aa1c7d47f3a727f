/// Many ids as they are written in JSON: of consecutive ids the first, and how many come after it.
///
/// `["0000000000000007+2"]` stands for 7, 8 and 9. Transfers that were submitted together have such ids. A short text may
/// name more ids than memory holds, so what a client names is compared with the ids that exist and never written out.
package struct TransferIDRuns: Hashable, Sendable {
    /// Ids that follow each other, both ends included.
    package struct Run: Hashable, Sendable {
        package let first: TransferID
        package let last: TransferID

        fileprivate func follows(_ other: Run) -> Bool {
            first.rawValue > 0 && first.rawValue - 1 == other.last.rawValue
        }
    }

    /// In the order in which they were named; some may overlap.
    package private(set) var runs: [Run] = []

    package init(_ ids: [TransferID]) {
        for id in ids { append(Run(first: id, last: id)) }
    }

    /// Takes a run that goes on where the last one ends as part of that one.
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

    /// The existing ids that the runs name, in the order in which the runs name them, each once.
    ///
    /// - Parameter existing: in ascending order.
    package func selected(from existing: [TransferID]) -> [TransferID] {
        var selected: [TransferID] = []
        // For each id the next one that is not selected yet: runs that overlap are passed in one step.
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

    /// The first ids that are named and do not exist.
    ///
    /// - Parameter existing: in ascending order.
    package func unknown(among existing: [TransferID], atMost limit: Int) -> [TransferID] {
        var unknown: [TransferID] = []
        // Runs without overlaps meet each id that exists once.
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

    /// Ids that are written out at most: more than a daemon can have.
    private static let mostWritten = 1 << 24

    /// All ids, from a peer that names what it has; nil if there are more than any peer has.
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
    /// The ids of a peer that names what it has.
    package func decodeIDs(forKey key: Key) throws -> [TransferID] {
        guard let ids = try decode(TransferIDRuns.self, forKey: key).ids else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "these are more ids than there are transfers")
        }
        return ids
    }
}

extension [TransferID] {
    /// The index of the first that is not below an id; these are in ascending order.
    fileprivate func firstIndex(atLeast id: TransferID) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
