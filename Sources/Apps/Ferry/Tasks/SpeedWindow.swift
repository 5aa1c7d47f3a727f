import Foundation

/// The bytes received in the last second, from samples of a counter.
struct SpeedWindow: Sendable {
    private struct Sample {
        let bytes: Int64
        let at: ContinuousClock.Instant
    }

    private static let length: Duration = .seconds(1)
    private var samples: [Sample] = []

    mutating func add(_ bytes: Int64, at now: ContinuousClock.Instant) {
        // A decreasing counter means a restarted transfer.
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append(Sample(bytes: bytes, at: now))
        // The newest sample older than the window gives the count at its beginning.
        while samples.count > 2, samples[1].at + Self.length <= now { samples.removeFirst() }
    }

    mutating func clear() { samples = [] }

    /// Bytes in the second before an instant.
    func bytesPerSecond(at now: ContinuousClock.Instant) -> Int64 {
        guard let first = samples.first, let last = samples.last, last.at + Self.length > now else { return 0 }
        // The newest sample before the window gives the count at its beginning.
        let base = samples.last { $0.at + Self.length <= now } ?? first
        return last.bytes - base.bytes
    }
}

/// A speed as text: `1.5 MB/s`.
enum SpeedText {
    private static let units = ["B", "KB", "MB", "GB", "TB"]

    static func text(_ bytesPerSecond: Int64) -> String {
        var value = Double(max(0, bytesPerSecond))
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return "\(Int(value)) B/s" }
        // 999.95 would be rounded to 1000 of this unit.
        if (value * 10).rounded() >= 10_000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return String(format: "%.1f", value) + " \(units[unit])/s"
    }
}
