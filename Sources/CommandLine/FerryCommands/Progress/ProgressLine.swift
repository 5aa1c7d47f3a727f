import FerryCore
import FerryFoundation

/// Formats the progress of one transfer as one line.
struct ProgressLine {
    var palette = Palette(isOn: false)
    /// The retry limits, if known.
    var retries: RetryLimits?

    /// Width of the name column. Nil for a single line.
    var nameWidth: Int?

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
        let columns = ProgressColumns(
            name: nameWidth ?? min(own.displayWidth, ProgressColumns.widestName(in: width)), in: width)
        let name = own.fitted(to: columns.name)
        let speed = transfer.bytesPerSecond.map(ByteText.speed) ?? ""
        guard let expected = transfer.bytesToMove, let percent = transfer.percent else {
            let facts = [ByteText.of(transfer.bytesMoved), pace(speed, "", silence, columns)].filter { !$0.isEmpty }
            return (name + "  " + facts.joined(separator: "  ").leftPadded(to: columns.facts)).columns(first: width)
        }
        let left = transfer.secondsLeft.map(TimeText.clock) ?? "-:--"
        var facts = ["\(percent)%".leftPadded(to: 4)]
        if columns.bar > 0 { facts.insert("[" + bar(percent, columns.bar) + "]", at: 0) }
        if columns.hasBytes {
            facts.append("\(ByteText.of(transfer.bytesMoved)) / \(ByteText.of(expected))".leftPadded(to: 23))
        }
        let pace = pace(speed, left, silence, columns)
        if !pace.isEmpty { facts.append(pace) }
        let line = name + "  " + facts.joined(separator: "  ")
        return columns.bar > 0 ? line : line.columns(first: width)
    }

    private func bar(_ percent: Int, _ width: Int) -> String {
        let full = width * percent / 100
        return palette.paint(String(repeating: "#", count: full), .cyan) + String(repeating: "-", count: width - full)
    }

    /// Speed and time left, or the time without a byte.
    private func pace(_ speed: String, _ left: String, _ silence: TimeInterval, _ columns: ProgressColumns) -> String {
        if silence >= Self.longSilence, columns.pace >= 16 {
            return "no data for \(TimeText.words(silence))".leftPadded(to: columns.pace)
        }
        let left = columns.hasLeft ? left.leftPadded(to: 8) : ""
        return columns.hasSpeed ? speed.leftPadded(to: 12) + (columns.hasLeft ? "  " + left : "") : left
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
