import FerryCore
import FerryFleet

/// Ends and returns of jobs. A job whose text the database refuses holds up no other.
extension PostgresQueue {
    func finish(_ ends: [JobEnd], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        let done = try conclude(ends, plain: \.plain) { (ends) throws(PostgresFailure) in
            try attempt(
                "finish",
                own + Self.keys(ends.map(\.key)) + [
                    .array("smallint", of: ends.map(\.outcome.number)), .array("text", ends.map(\.outcome.details)),
                ]
            ).column
        }
        return .stale(stale(ends.map(\.key), done: done))
    }

    func giveBack(_ returns: [JobReturn], _ own: [Parameter]) throws(ServiceError) -> WorkerAnswer {
        let done = try conclude(returns, plain: \.plain) { (returns) throws(PostgresFailure) in
            try attempt(
                "give_back",
                own + Self.keys(returns.map(\.key)) + [
                    .array("text", of: returns.map(\.reason.rawValue)), .array("float8", of: returns.map(\.delay)),
                    .array("text", returns.map { ($0.error?.storable).map(Self.json) }),
                    .array("int", of: returns.map(\.attempts)),
                ]
            ).column
        }
        return .stale(stale(returns.map(\.key), done: done))
    }

    /// Concludes jobs in one call. One that the database refuses is concluded in its plain form.
    private func conclude<Value>(
        _ values: [Value], plain: (Value) -> Value?, _ body: ([Value]) throws(PostgresFailure) -> [String]
    ) throws(ServiceError) -> [String] {
        do {
            return try inParts(values, body) { (value, failure) throws(PostgresFailure) in
                guard let plain = plain(value) else { throw failure }
                return try body([plain])
            }
        } catch {
            throw error.error
        }
    }

    /// Performs a call for many values. If the database refuses it, each half of them is performed on its own, and so on
    /// until the value that it refuses is alone.
    ///
    /// - Parameter refused: What to do with a refused value.
    func inParts<Value, Answer>(
        _ values: [Value], _ body: ([Value]) throws(PostgresFailure) -> [Answer],
        refused: (Value, PostgresFailure) throws(PostgresFailure) -> [Answer]
    ) throws(PostgresFailure) -> [Answer] {
        do {
            return try body(values)
        } catch {
            guard error.isRefusal else { throw error }
            if values.count == 1 { return try refused(values[0], error) }
            let middle = values.count / 2
            let first = try inParts(Array(values[..<middle]), body, refused: refused)
            return first + (try inParts(Array(values[middle...]), body, refused: refused))
        }
    }
}

extension JobEnd {
    /// The end without texts of servers, or `nil` if there are none.
    fileprivate var plain: JobEnd? {
        guard case .failed(let error) = outcome else { return nil }
        return JobEnd(
            key: key, outcome: .failed(ServiceError(error.code, "The database refused the text of the error.")))
    }
}

extension JobReturn {
    /// The return without texts of servers, or `nil` if there are none.
    fileprivate var plain: JobReturn? {
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
