/// The results of a call for many values, which is performed in parts if the database refuses some of them.
///
/// A refused call is repeated for each half of its values, and so on until a refused value is alone.
struct CallParts<Value, Answer> {
    private(set) var answers: [Answer] = []
    /// Values for which nothing was done.
    private(set) var refused: [Value] = []
    /// Why there are refused values.
    private(set) var failure: PostgresFailure?

    /// Number of refusals in a row after which the other values are not tried: the fault is not that of single values.
    private static var mostRefusals: Int { 8 }

    /// - Parameters:
    ///   - limit: Seconds after which the values that have not been tried count as refused.
    ///   - plain: Another form of a refused value to try, or `nil`.
    ///   - body: Performs the call for some of the values.
    /// - Throws: ``PostgresFailure`` of the first call, if it is no refusal.
    init(
        _ values: [Value], within limit: Double = .infinity,
        plain: (Value, PostgresFailure) -> Value? = { _, _ in nil },
        _ body: ([Value]) throws(PostgresFailure) -> [Answer]
    ) throws(PostgresFailure) {
        let end = limit.isFinite ? ContinuousClock.now + .seconds(limit) : nil
        var refusals = 0
        var last: PostgresFailure?
        // The next part is the last one.
        var rest = [values[...]]
        while let part = rest.popLast() {
            if let last, !last.isRefusal || refusals >= Self.mostRefusals || end.map({ $0 < .now }) ?? false {
                refuse(part, last)
                continue
            }
            do {
                answers += try body(Array(part))
                refusals = 0
            } catch {
                guard error.isRefusal || last != nil else { throw error }
                last = error
                if error.isRefusal, part.count > 1 {
                    let middle = part.startIndex + part.count / 2
                    rest += [part[middle...], part[..<middle]]
                } else if error.isRefusal, let value = plain(part[part.startIndex], error),
                    let more = try? body([value])
                {
                    answers += more
                    refusals = 0
                } else {
                    refusals += 1
                    refuse(part, error)
                }
            }
        }
    }

    private mutating func refuse(_ part: ArraySlice<Value>, _ failure: PostgresFailure) {
        refused += part
        self.failure = failure
    }
}
