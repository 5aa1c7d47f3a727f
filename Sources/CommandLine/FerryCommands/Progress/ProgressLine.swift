import FerryCore
import FerryFoundation

/// Formats the progress of one transfer as one line.
struct ProgressLine {
    var palette = Palette(isOn: false)
    /// The retry limits, if known.
    var retries: RetryLimits?

    /// Width of the name column. Nil for a single line.
    var nameWidth: Int?

    private static let widestBar = 30
    private static let narrowestBar = 5
    /// Seconds without a byte after which the line says so.
    private static let longSilence = 5.0

    /// Formats a line within a number of columns.
    ///
    /// - Parameters:
    ///   - name: A shortened name.
    ///   - silence: Seconds since the last byte.
    func render(
        _ transfer: Transfer, name given: String? = nil, width: Int, silence: TimeInterval = 0, now: Date
    ) -> String {
        guard width > 0 else { return "" }
        let own = given ?? transfer.displayName
        if let words = words(transfer, width, now) {
            let name = own.fitted(to: nameWidth.map { min($0, width / 2) } ?? min(own.displayWidth, max(8, width / 3)))
            let line = (name + "  " + words.text).columns(first: width)
            guard line.displayWidth > name.displayWidth else { return line }
            return line.prefix(name.count) + palette.paint(String(line.dropFirst(name.count)), words.color)
        }
        let isBrief = width < (nameWidth == nil ? Self.narrow : Self.wide)
        let facts = facts(transfer, isBrief: isBrief, silence: silence)
        let room = width - facts.displayWidth - 2
        if room < 4 { return (own.fitted(to: max(1, min(12, width))) + " " + facts).columns(first: width) }
        let name = own.fitted(to: min(room, nameWidth ?? (isBrief ? own.displayWidth : max(8, width / 4))))
        let bar = min(Self.widestBar, room - name.displayWidth - 4)
        guard let percent = transfer.percent, !isBrief, bar >= Self.narrowestBar else {
            // Aligns the numbers with those of the other lines.
            return name + String(repeating: " ", count: nameWidth == nil ? 0 : room - name.displayWidth) + "  " + facts
        }
        let full = bar * percent / 100
        let drawn =
            palette.paint(String(repeating: "#", count: full), .cyan) + String(repeating: "-", count: bar - full)
        return name + "  [" + drawn + "]  " + facts
    }

    /// Columns below which a single line omits bytes.
    private static let narrow = 75
    /// Columns from which several lines have bars.
    static let wide = 110
    /// Columns for the numbers of one of several lines.
    static func room(of width: Int) -> Int { width < wide ? width - briefFacts - 2 : max(8, width / 4) }

    private static let briefFacts = 25

    /// Percentage, bytes, speed and time left. Only bytes and speed while the size is unknown.
    ///
    /// - Parameter isBrief: Whether to omit bytes beside a percentage.
    private func facts(_ transfer: Transfer, isBrief: Bool, silence: TimeInterval) -> String {
        let left = transfer.secondsLeft.map(TimeText.clock) ?? "-:--"
        var pace = (transfer.bytesPerSecond.map(ByteText.speed) ?? "").leftPadded(to: 12) + left.leftPadded(to: 9)
        if silence >= Self.longSilence {
            pace = "no data for \(TimeText.words(silence))".leftPadded(to: 21)
        } else if transfer.percent == nil {
            pace = (transfer.bytesPerSecond.map(ByteText.speed) ?? "").leftPadded(to: 12)
        }
        guard let expected = transfer.bytesToMove, let percent = transfer.percent else {
            return ByteText.of(transfer.bytesMoved).leftPadded(to: 10) + pace
        }
        let share = "\(percent)%".leftPadded(to: 4)
        if isBrief { return share + pace }
        return share + "  " + (ByteText.of(transfer.bytesMoved) + " / " + ByteText.of(expected)).leftPadded(to: 21)
            + pace
    }

    private static func waiting(_ transfer: Transfer, _ retries: RetryLimits?, _ width: Int, _ now: Date) -> String {
        let start = "waiting: "
        let room = width - start.displayWidth
        return start + (WaitSentence.of(transfer, retries: retries, width: room, now: now) ?? "a free slot")
    }

    /// The text instead of the bar while no bytes arrive.
    private func words(_ transfer: Transfer, _ width: Int, _ now: Date) -> (text: String, color: Palette.Color)? {
        let name = nameWidth.map { min($0, width / 2) } ?? min(transfer.displayName.displayWidth, max(8, width / 3))
        return switch transfer.state {
        case .running: nil
        case .waiting: (Self.waiting(transfer, retries, width - name - 2, now), .yellow)
        case .suspended: ("paused" + (transfer.percent.map { " at \($0)%" } ?? ""), .yellow)
        case .succeeded: ("done", .green)
        case .failed: ("failed" + (transfer.error.map { ": " + $0.message.escapingControls } ?? ""), .red)
        case .canceled: ("canceled", .red)
        case .unknown: ("in a state of a newer version", .yellow)
        }
    }
}

extension String {
    /// Padded with leading spaces.
    func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }
}
