import FerryCore
import FerryFleet

/// Calls about jobs that a worker holds. A job about which the database refuses a row holds up no other.
extension PostgresQueue {
    func finish(_ ends: [JobEnd], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        try tell(ends, \.key, plain: { $0.plain($1) }) { (ends) throws(PostgresFailure) in
            try attempt(
                "finish",
                own + Self.keys(ends.map(\.key)) + [
                    .array("smallint", of: ends.map(\.outcome.number)), .array("text", ends.map(\.outcome.details)),
                ]
            ).column
        }
    }

    func giveBack(_ returns: [JobReturn], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        try tell(returns, \.key, plain: { $0.plain($1) }) { (returns) throws(PostgresFailure) in
            try attempt(
                "give_back",
                own + Self.keys(returns.map(\.key)) + [
                    .array("text", of: returns.map(\.reason.rawValue)), .array("float8", of: returns.map(\.delay)),
                    .array("text", returns.map { ($0.error?.storable).map(Self.json) }),
                    .array("int", of: returns.map(\.attempts)),
                ]
            ).column
        }
    }

    /// Calls a function whose only parameters are leases.
    func tell(_ function: String, _ own: [Parameter], _ keys: [LeaseKey]) throws(ServiceError) -> WorkerAnswer {
        try tell(keys, \.self) { (keys) throws(PostgresFailure) in
            try attempt(function, own + Self.keys(keys)).column
        }
    }

    func intend(_ intents: [JobIntent], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        let parts = try split(intents) { (intents) throws(PostgresFailure) in
            try attempt(
                "intend",
                own + Self.keys(intents.map(\.key)) + [
                    .array("numeric", of: intents.map(\.intent.inode)), .array("text", intents.map(\.intent.path)),
                    .array("text", intents.map(\.intent.copy)),
                    .array("bigint", of: intents.map(\.intent.size)), .array("text", intents.map(\.intent.sha256)),
                ]
            ).rows
        }
        var known: [JobID: [Intent]] = [:]
        for row in parts.answers {
            let job = try row.value(0) { JobID($0) }
            known[job, default: []].append(
                Intent(
                    path: try row.value(2) { $0 }, copy: try row.value(3) { $0 },
                    inode: try row.value(1) { UInt64($0) },
                    size: try row.value(4) { Int64($0) }, sha256: try row.value(5) { $0 }))
        }
        let refused = Set(parts.refused.map(\.key))
        let keys = intents.map(\.key).filter { !refused.contains($0) }
        let tokens = Dictionary(keys.compactMap { key in known[key.job].map { (key.token, $0) } }) { first, _ in first }
        return parts.answer(.intended(known: tokens, stale: keys.filter { known[$0.job] == nil }), without: refused)
    }

    /// Records progress. A refusal is ignored: the figures only inform users.
    func progress(_ jobs: [JobProgress], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        do {
            _ = try attempt(
                "progress",
                own + [
                    .array("bigint", of: jobs.map(\.key.job)), .array("int", of: jobs.map(\.key.fence)),
                    .array("bigint", of: jobs.map(\.received)),
                    .array("bigint", jobs.map { $0.expected.map { String($0) } }),
                ])
        } catch {
            guard error.isRefusal else { throw error.error }
        }
        return .done
    }

    /// Performs a fenced call for many values. Its rows are the numbers of the jobs whose leases stood.
    private func tell<Value>(
        _ values: [Value], _ key: (Value) -> LeaseKey, plain: (Value, PostgresFailure) -> Value? = { _, _ in nil },
        _ body: ([Value]) throws(PostgresFailure) -> [String]
    ) throws(ServiceError) -> WorkerAnswer {
        let parts = try split(values, plain: plain, body)
        let refused = Set(parts.refused.map(key))
        let done = Set(parts.answers.compactMap { JobID($0) })
        let stale = values.map(key).filter { !done.contains($0.job) && !refused.contains($0) }
        return parts.answer(.stale(stale), without: refused)
    }

    /// Seconds for finding refused values: heartbeats wait meanwhile.
    private static let splitLimit = 3.0

    private func split<Value, Answer>(
        _ values: [Value], plain: (Value, PostgresFailure) -> Value? = { _, _ in nil },
        _ body: ([Value]) throws(PostgresFailure) -> [Answer]
    ) throws(ServiceError) -> CallParts<Value, Answer> {
        do { return try CallParts(values, within: Self.splitLimit, plain: plain, body) } catch { throw error.error }
    }
}

extension CallParts {
    /// - Parameter keys: The leases of the refused values.
    fileprivate func answer(_ answer: WorkerAnswer, without keys: Set<LeaseKey>) -> WorkerAnswer {
        failure.map { .except(keys.sorted { $0.job < $1.job }, $0.error, answer) } ?? answer
    }
}

extension JobEnd {
    /// The end without texts of servers, or `nil` if there are none.
    fileprivate func plain(_ failure: PostgresFailure) -> JobEnd? {
        guard case .failed(let error) = outcome else { return nil }
        let message = "The database refused the text of the error (\(failure.state))."
        return JobEnd(key: key, outcome: .failed(ServiceError(error.code, message)))
    }
}

extension JobReturn {
    /// The return without texts of servers, or `nil` if there are none.
    fileprivate func plain(_ failure: PostgresFailure) -> JobReturn? {
        guard error != nil else { return nil }
        return JobReturn(key: key, reason: reason, delay: delay, attempts: attempts)
    }
}

extension JobOutcome {
    fileprivate var number: Int {
        switch self {
        case .succeeded: 1
        case .failed: 2
        case .canceled: 3
        }
    }

    fileprivate var details: String? {
        switch self {
        case .succeeded(let result): PostgresQueue.json(result)
        case .failed(let error): PostgresQueue.json(error.storable)
        case .canceled: nil
        }
    }
}
