// Ferry: FerryCore
// Very many requests that differ in their URLs alone.

/// Very many requests of one session that differ in their URLs alone; stored in one transaction.
package struct TransferList: Hashable, Sendable {
    /// What is the same for all; its URL counts for nothing, and it has no name, note, mirrors or body.
    package var template: TransferRequest
    package var urls: URLLines

    package init(template: TransferRequest, urls: URLLines) {
        self.template = template
        self.urls = urls
    }

    /// What became of a list.
    package struct Report: Hashable, Codable, Sendable {
        /// In the order of the URLs; neighbours share a run where they can.
        package private(set) var runs: [Run] = []

        package init() {}

        /// Notes that the next URLs became transfers whose ids follow each other.
        package mutating func accept(first: TransferID, count: Int) {
            if let last = runs.last, let begin = last.first, begin.rawValue + UInt64(last.count) == first.rawValue {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(first: first, count: count))
            }
        }

        /// Notes that the next URLs were refused.
        package mutating func refuse(_ error: TransferError, count: Int = 1) {
            if runs.last?.error == error {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(count: count, error: error))
            }
        }

        /// For how many URLs it says what became of them.
        package var count: Int { runs.reduce(0) { $0 + $1.count } }

        /// The ids of all that were stored, in the order of the URLs.
        package var ids: [TransferID] { runs.flatMap(\.ids) }
    }

    /// URLs next to each other that fared alike.
    package struct Run: Hashable, Codable, Sendable {
        /// The first of the transfers, whose ids follow each other; nil if they were refused.
        package var first: TransferID?
        package var count: Int
        package var error: TransferError?

        package var ids: [TransferID] {
            guard let first else { return [] }
            return (0..<UInt64(max(0, count))).map { TransferID(rawValue: first.rawValue.addingSaturated($0)) }
        }
    }
}
