import FerryCore

/// Bytes that an attempt's responses have written and that may not be durable.
struct AttemptWrites: Sendable {
    /// Sinks that are writing, or have written since the last settlement.
    private(set) var sinks: [BodySink] = []
    /// The error of a failed checkpoint. It overrides any later error of the exchange.
    private(set) var fault: ServiceError?
    var digest = AttemptDigest()

    mutating func open(_ sink: BodySink) { sinks.append(sink) }

    /// Discards the bytes of a response.
    mutating func giveUp(_ sink: BodySink) { sinks.removeAll { $0 === sink } }

    /// Removes all sinks: their writes are settled.
    mutating func end() { sinks = [] }

    /// Records a failed checkpoint. No byte after the last recorded range counts: Linux reports a failed write-back
    /// once (docs/behaviour/transfers.md#D5).
    mutating func failed(_ error: ServiceError) { fault = fault ?? error }

    func contains(_ sink: BodySink) -> Bool { sinks.contains { $0 === sink } }

    /// The range written by each sink so far.
    var ranges: [Range<Int64>] { sinks.map { $0.start..<$0.position } }

    /// Returns all written ranges, durable or not.
    func all(beside durable: ByteRangeSet) -> ByteRangeSet {
        var written = durable
        for range in ranges { written.insert(range) }
        return written
    }
}
