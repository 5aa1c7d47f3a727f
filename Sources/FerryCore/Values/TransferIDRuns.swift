// Ferry: FerryCore
// Many ids as JSON.

/// Many ids as they are written in JSON: of those that follow each other the first, and how many come after it.
///
/// `["0000000000000007+2"]` stands for 7, 8 and 9. Transfers that were submitted together have such ids.
package struct TransferIDRuns: Hashable, Sendable {
    package var ids: [TransferID]

    package init(_ ids: [TransferID]) { self.ids = ids }

    /// Ids that one value names at most: a short text stands for very many.
    private static let most = 1 << 24
}

extension TransferIDRuns: Codable {
    package init(from decoder: any Decoder) throws {
        var box = try decoder.unkeyedContainer()
        ids = []
        while !box.isAtEnd {
            let text = try box.decode(String.self)
            let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
            let more = parts.count == 1 ? 0 : Int(parts[1])
            guard let first = TransferID(String(parts[0])), let more, more >= 0, more < Self.most - ids.count,
                !first.rawValue.addingReportingOverflow(UInt64(more)).overflow
            else {
                throw DecodingError.dataCorruptedError(
                    in: box,
                    debugDescription: "a transfer id has 16 hexadecimal digits, and may have a + and a number after it")
            }
            for step in 0...UInt64(more) { ids.append(TransferID(rawValue: first.rawValue + step)) }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.unkeyedContainer()
        var index = 0
        while index < ids.count {
            var end = index + 1
            while end < ids.count, ids[end].rawValue &- 1 == ids[end - 1].rawValue, ids[end].rawValue > 0 { end += 1 }
            let first = ids[index].description
            try box.encode(end - index == 1 ? first : "\(first)+\(end - index - 1)")
            index = end
        }
    }
}
