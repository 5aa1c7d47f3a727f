/// What became of a batch.
extension TransferBatch {
    /// What became of a batch, item by item; neighbours share a run where they can.
    package struct Report: Hashable, Sendable {
        /// In the order of the items.
        package private(set) var runs: [Run] = []
        /// Number of the latest durable event of the batch's session when the batch was stored.
        package var lastEvent: Int64
        /// Transfers that were to go on and do not exist, or go on without the change that was asked for; nil if none were to.
        package var failures: [ActionResult]?

        package init(lastEvent: Int64 = 0, failures: [ActionResult]? = nil) {
            self.lastEvent = lastEvent
            self.failures = failures
        }

        /// Says what became of each item, in their order.
        package init(_ results: [Result], lastEvent: Int64, failures: [ActionResult]? = nil) {
            self.init(lastEvent: lastEvent, failures: failures)
            for result in results {
                if let id = result.id {
                    accept(first: id)
                } else {
                    refuse(result.error ?? ServiceError(.internal, "The item has no result."))
                }
            }
        }

        /// Notes that the next items became transfers whose ids follow each other.
        package mutating func accept(first: TransferID, count: Int = 1) {
            if let last = runs.last, let begin = last.first, begin.rawValue + UInt64(last.count) == first.rawValue {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(first: first, count: count))
            }
        }

        /// Notes that the next items were refused.
        package mutating func refuse(_ error: ServiceError, count: Int = 1) {
            if runs.last?.error == error {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(count: count, error: error))
            }
        }

        /// For how many items it says what became of them.
        package var count: Int { runs.reduce(0) { $0.addingSaturated(max(0, $1.count)) } }

        /// The ids of all that were stored, in the order of the items.
        package var ids: [TransferID] { runs.flatMap(\.ids) }

        /// One for each item, in their order; only for a report whose ``count`` is that of the items.
        package var results: [Result] {
            runs.flatMap { run in
                run.first == nil
                    ? Array(repeating: Result(error: run.error), count: max(0, run.count))
                    : run.ids.map { Result(id: $0) }
            }
        }
    }

    /// Items next to each other that fared alike.
    package struct Run: Hashable, Codable, Sendable {
        /// The first of the transfers, whose ids follow each other; nil if they were refused.
        package var first: TransferID?
        package var count: Int
        package var error: ServiceError?

        package var ids: [TransferID] {
            guard let first else { return [] }
            return (0..<UInt64(max(0, count))).map { TransferID(rawValue: first.rawValue.addingSaturated($0)) }
        }

        package init(first: TransferID? = nil, count: Int, error: ServiceError? = nil) {
            self.first = first
            self.count = count
            self.error = error
        }

        /// - Throws: `DecodingError` for a count that no batch can have.
        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            first = try box.decodeIfPresent(TransferID.self, forKey: .first)
            count = try box.decode(Int.self, forKey: .count)
            error = try box.decodeIfPresent(ServiceError.self, forKey: .error)
            guard 0...Self.most ~= count else {
                throw DecodingError.dataCorruptedError(
                    forKey: .count, in: box, debugDescription: "A run has 0 to \(Self.most) items.")
            }
        }

        /// More items than any request has bytes for.
        private static let most = 1 << 26

        private enum CodingKeys: String, CodingKey { case first, count, error }
    }

    /// What became of one item.
    package struct Result: Hashable, Sendable {
        /// The stored transfer; nil if it was refused.
        package var id: TransferID?
        package var error: ServiceError?

        package init(id: TransferID? = nil, error: ServiceError? = nil) {
            self.id = id
            self.error = error
        }
    }
}

extension TransferBatch.Report: Codable {
    private enum CodingKeys: String, CodingKey {
        case runs, failures
        case lastEvent = "last_event"
    }
}

/// What became of one submitted request.
package enum SubmissionResult: Hashable, Sendable {
    case accepted(Transfer)
    case refused(ServiceError)
}

extension SubmissionResult: Codable {
    private enum CodingKeys: String, CodingKey { case transfer, error }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let error = try box.decodeIfPresent(ServiceError.self, forKey: .error) {
            self = .refused(error)
        } else {
            self = .accepted(try box.decode(Transfer.self, forKey: .transfer))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .accepted(let transfer): try box.encode(transfer, forKey: .transfer)
        case .refused(let error): try box.encode(error, forKey: .error)
        }
    }
}
