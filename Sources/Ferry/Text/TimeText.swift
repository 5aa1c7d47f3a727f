// Ferry: Ferry
// A time as text.

/// A number of seconds as text: `mm:ss` below an hour, else `h:mm:ss`.
enum TimeText {
    static func text(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let minutes = seconds / 60 % 60
        let rest = "\(two(minutes)):\(two(seconds % 60))"
        return seconds < 3600 ? rest : "\(seconds / 3600):\(rest)"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
