// Ferry: FerryCore
// How many bytes came when.

/// How many bytes came when. Times are seconds of a steady clock.
struct SpeedSamples: Sendable {
    private struct Sample: Sendable {
        let at: Double
        let bytes: Int64
    }

    private var samples: [Sample] = []
    /// When the first sample was taken.
    private(set) var begin: Double?

    /// Takes a sample, and forgets those that are older than asked for, but for one.
    mutating func note(_ bytes: Int64, at now: Double, keeping span: Double) {
        begin = begin ?? now
        samples.append(Sample(at: now, bytes: bytes))
        while samples.count > 2, now - samples[1].at >= span { samples.removeFirst() }
    }

    /// Bytes that came between two times.
    func bytes(from start: Double, to end: Double) -> Int64 {
        max(0, (last(end)?.bytes ?? 0) - (last(start)?.bytes ?? samples.first?.bytes ?? 0))
    }

    /// Bytes per second over so long a time, or the time that is known of it; nil if nothing is.
    func speed(over span: Double, until end: Double) -> Double? {
        guard let newest = last(end), let oldest = last(end - span) ?? samples.first, newest.at > oldest.at else {
            return nil
        }
        return Double(newest.bytes - oldest.bytes) / (newest.at - oldest.at)
    }

    /// The last sample that is not later.
    private func last(_ time: Double) -> Sample? { samples.last { $0.at <= time + 1e-9 } }
}
