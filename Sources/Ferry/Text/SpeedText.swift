// Ferry: Ferry
// A speed as text.

import Foundation

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
        // 999.95 would be rounded to the next unit's 1.
        if (value * 10).rounded() >= 10_000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return String(format: "%.1f", value) + " \(units[unit])/s"
    }
}
