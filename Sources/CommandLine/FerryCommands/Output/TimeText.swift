/// Formats durations.
package enum TimeText {
    /// Like a clock: `0:07`, `12:05`, `3:00:00`, `5 d`.
    package static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1000 * 86_400 else { return "-:--" }
        let all = Int(max(0, seconds).rounded())
        if all >= 100 * 3600 { return "\(all / 86_400) d" }
        let (hours, minutes) = (all / 3600, all / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(all % 60))" : "\(minutes):\(two(all % 60))"
    }

    /// With a unit: `8 s`, `5 min`, `3 h`, `2 d`.
    package static func words(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "a long time" }
        let all = Int(min(max(0, seconds), 1e9).rounded(.up))
        switch all {
        case ..<120: return "\(all) s"
        case ..<7200: return "\(all / 60) min"
        case ..<172_800: return "\(all / 3600) h"
        default: return "\(all / 86_400) d"
        }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
