/// Results of a batch.
extension TransferBatch {
    /// The results of a batch's items. Equal adjacent results share a run.
    package struct Report: Hashable, Sendable {
        /// In item order.
        package private(set) var runs: [Run] = []
        /// Number of the session's latest durable event when the batch was stored.
        package var lastEvent: Int64
        /// Transfers of `starts` that do not exist, or started without the requested change. Nil without `starts`.
        package var failures: [ActionResult]?

        package init(lastEvent: Int64 = 0, failures: [ActionResult]? = nil) {
            self.lastEvent = lastEvent
            self.failures = failures
        }

        /// - Parameter results: One result per item, in order.
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

        /// Records that the next items became transfers with consecutive ids.
        package mutating func accept(first: TransferID, count: Int = 1) {
            if let last = runs.last, let begin = last.first, begin.rawValue + UInt64(last.count) == first.rawValue {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(first: first, count: count))
            }
        }

        /// Records that the next items were refused.
        package mutating func refuse(_ error: ServiceError, count: Int = 1) {
            if runs.last?.error == error {
                runs[runs.count - 1].count += count
            } else if count > 0 {
                runs.append(Run(count: count, error: error))
            }
        }

        /// Number of items with a result.
        package var count: Int { runs.reduce(0) { $0.addingSaturated(max(0, $1.count)) } }

        /// The ids of all stored items, in order.
        package var ids: [TransferID] { runs.flatMap(\.ids) }

        /// One result per item, in order. Only valid if ``count`` is the number of items.
        package var results: [Result] {
            runs.flatMap { run in
                run.first == nil
                    ? Array(repeating: Result(error: run.error), count: max(0, run.count))
                    : run.ids.map { Result(id: $0) }
            }
        }
    }

    /// Adjacent items with equal results.
    package struct Run: Hashable, Codable, Sendable {
        /// Id of the first transfer, followed by consecutive ids, or nil if the items were refused.
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

        /// - Throws: `DecodingError` for a count beyond that of any batch.
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

        /// Upper bound of the number of items in a request.
        private static let most = 1 << 26

        private enum CodingKeys: String, CodingKey { case first, count, error }
    }

    /// The result of one item.
    package struct Result: Hashable, Sendable {
        /// The stored transfer, or nil if refused.
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

/// The result of one submitted request.
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
