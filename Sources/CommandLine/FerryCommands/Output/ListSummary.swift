import FerryCore

/// Sums up a list of transfers.
enum ListSummary {
    /// Maximum number of running files that are named.
    private static let mostNames = 3

    /// A line such as `2 running at 3.1 MiB/s (a.iso, b.iso), 12 waiting, 1 failed`.
    static func line(_ transfers: [Transfer]) -> String {
        let running = transfers.filter { $0.state == .running }
        var parts: [String] = []
        if !running.isEmpty {
            let speed = running.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) }
            let names = running.prefix(mostNames).map(\.displayName) + (running.count > mostNames ? ["…"] : [])
            parts.append(
                "\(running.count) running" + (speed >= 1 ? " at \(ByteText.speed(speed))" : "")
                    + " (\(names.joined(separator: ", ")))")
        } else {
            parts.append("nothing is running")
        }
        for state in TransferState.known where state != .running {
            let count = transfers.count { $0.state == state }
            if count > 0 { parts.append("\(count) \(state.word)") }
        }
        return parts.joined(separator: ", ")
    }
}
