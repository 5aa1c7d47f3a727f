import FerryCore

/// What the responses of an attempt have written, and may not be durable.
struct AttemptWrites: Sendable {
    /// Where bytes go, or went since the last settlement.
    private(set) var sinks: [BodySink] = []
    /// A checkpoint that failed; it decides over whatever ended the exchange after it.
    private(set) var fault: ServiceError?
    var digest = AttemptDigest()

    mutating func open(_ sink: BodySink) { sinks.append(sink) }

    /// What a response wrote is no data.
    mutating func giveUp(_ sink: BodySink) { sinks.removeAll { $0 === sink } }

    /// What was written is settled.
    mutating func end() { sinks = [] }

    /// Nothing after the last recorded range counts any more: Linux reports a failed write-back once
    /// (docs/behaviour/transfers.md#D5).
    mutating func failed(_ error: ServiceError) { fault = fault ?? error }

    func contains(_ sink: BodySink) -> Bool { sinks.contains { $0 === sink } }

    /// What each has written so far.
    var ranges: [Range<Int64>] { sinks.map { $0.start..<$0.position } }

    /// Everything that is written, durable or not.
    func all(beside durable: ByteRangeSet) -> ByteRangeSet {
        var written = durable
        for range in ranges { written.insert(range) }
        return written
    }
}
