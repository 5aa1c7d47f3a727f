import FerryCore
import FerryFoundation

/// Draws the progress of one transfer on one line.
struct ProgressLine {
    var palette = Palette(isOn: false)
    /// How many failures without progress are tried again, if that is known.
    var retries: RetryLimits?

    private static let widestBar = 30
    private static let narrowestBar = 5

    /// A line of at most so many columns.
    func render(_ transfer: Transfer, width: Int, now: Date) -> String {
        guard width > 0 else { return "" }
        let shortName = transfer.displayName.fitted(to: min(transfer.displayName.displayWidth, max(8, width / 3)))
        if let words = words(transfer, width - shortName.displayWidth - 2, now) {
            let line = (shortName + "  " + words.text).columns(first: width)
            guard line.displayWidth > shortName.displayWidth else { return line }
            return line.prefix(shortName.count) + palette.paint(String(line.dropFirst(shortName.count)), words.color)
        }
        let facts = facts(transfer)
        let room = width - facts.displayWidth - 2
        if room < 4 {
            return (transfer.displayName.fitted(to: max(1, min(12, width))) + " " + facts).columns(first: width)
        }
        guard let percent = transfer.percent else {
            return transfer.displayName.fitted(to: min(room, Self.nameWidth(width))) + "  " + facts
        }
        let name = transfer.displayName.fitted(to: min(room, Self.nameWidth(width)))
        let bar = min(Self.widestBar, room - name.displayWidth - 4)
        guard bar >= Self.narrowestBar else { return name + "  " + facts }
        let full = bar * percent / 100
        let drawn =
            palette.paint(String(repeating: "#", count: full), .cyan) + String(repeating: "-", count: bar - full)
        return name + "  [" + drawn + "]  " + facts
    }

    private static func nameWidth(_ width: Int) -> Int { max(8, width / 5) }

    /// Percent, bytes, speed and time left; only bytes and speed while the length is unknown.
    private func facts(_ transfer: Transfer) -> String {
        let speed = (transfer.bytesPerSecond.map(ByteText.speed) ?? "").leftPadded(to: 12)
        guard let expected = transfer.bytesExpected, let percent = transfer.percent else {
            return ByteText.of(transfer.bytesReceived).leftPadded(to: 10) + speed
        }
        let bytes = ByteText.of(transfer.bytesReceived) + " / " + ByteText.of(expected)
        let left = transfer.secondsLeft.map(TimeText.clock) ?? "-:--"
        return "\(percent)%".leftPadded(to: 4) + "  " + bytes.leftPadded(to: 21) + speed + left.leftPadded(to: 9)
    }

    private static func waiting(_ transfer: Transfer, _ retries: RetryLimits?, _ width: Int, _ now: Date) -> String {
        let start = "waiting: "
        let room = width - start.displayWidth
        return start + (WaitSentence.of(transfer, retries: retries, width: room, now: now) ?? "its turn")
    }

    /// What stands in place of the bar while no bytes arrive.
    private func words(_ transfer: Transfer, _ width: Int, _ now: Date) -> (text: String, color: Palette.Color)? {
        switch transfer.state {
        case .running: nil
        case .waiting: (Self.waiting(transfer, retries, width, now), .yellow)
        case .suspended: ("paused" + (transfer.percent.map { " at \($0)%" } ?? ""), .yellow)
        case .succeeded: ("done", .green)
        case .failed: ("failed" + (transfer.error.map { ": " + $0.message.escapingControls } ?? ""), .red)
        case .canceled: ("canceled", .red)
        case .unknown: ("in a state that a newer ferry can name", .yellow)
        }
    }
}

extension String {
    /// With blanks before it, up to so many columns.
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }
}
