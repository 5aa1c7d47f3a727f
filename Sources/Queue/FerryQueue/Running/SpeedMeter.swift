/// Speed over the last seconds, from samples taken by each reader.
package struct SpeedMeter: Sendable {
    private struct Sample {
        let bytes: Int64
        let at: UInt64
    }

    private static let window: UInt64 = 5_000_000_000
    private static let spacing: UInt64 = 200_000_000
    private var samples: [Sample] = []

    package init() {}

    /// Adds a sample. Ignored within a fifth of a second of the previous one.
    package mutating func add(bytes: Int64, now: UInt64) {
        if let last = samples.last {
            if bytes < last.bytes { samples = [] } else if now < last.at + Self.spacing { return }
        }
        samples.append(Sample(bytes: bytes, at: now))
        samples.removeAll { $0.at + Self.window < now }
    }

    /// Bytes per second, or nil before the second sample.
    package var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        return Double(last.bytes - first.bytes) / (Double(last.at - first.at) / 1e9)
    }
}
