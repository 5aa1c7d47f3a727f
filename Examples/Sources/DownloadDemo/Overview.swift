// The contents of the screen, as a value.

import Ferry

/// The contents of the screen at one moment.
struct Overview: Equatable {
    var rows: [Row] = []
    /// Speed of all downloads together.
    var speed = ""
    var remaining = ""
    var limit = 0

    /// One download.
    struct Row: Equatable {
        let id: DownloadTask.ID
        /// Position in the list, from 1.
        let number: Int
        let name: String
        let status: Status
        /// The waiting reason, the error, or the path of the file.
        let remark: String
        /// From 0 to 1, or `nil` while the size is unknown.
        let fraction: Double?
        let received: Int64
        let speed: String
        let remaining: String
    }
}

// MARK: As text

extension Overview {
    /// Returns the whole list, in lines of at most `width` characters.
    func lines(width: Int) -> [String] {
        let running = rows.count { $0.status == .running }
        let left = remaining.isEmpty ? "" : ", \(remaining) left"
        let head = "\(rows.count) downloads, \(running) running of at most \(limit) · \(speed)\(left)"
        return ([head] + rows.map(\.text)).map { String($0.prefix(max(width, 1))) }
    }
}

extension Overview.Row {
    /// The row with a progress bar, for a list that is redrawn.
    var text: String {
        "\(pad("\(number)", 3)) \(bar) \(pad(status.rawValue, 11)) \(name)  \(detail)"
    }

    /// The row without its frequently changing parts, for lines that stay.
    var summary: String { "\(number) \(status.rawValue) \(name)\(remark.isEmpty ? "" : " \(remark)")" }

    private var detail: String {
        guard status == .running else { return remark }
        return remaining.isEmpty ? speed : "\(speed), \(remaining) left"
    }

    /// Ten cells and a percentage, or bytes while the size is unknown.
    private var bar: String {
        guard let fraction else { return pad("\(received) bytes", 15) }
        let filled = Int((fraction * 10).rounded(.down))
        let cells = String(repeating: "█", count: filled) + String(repeating: "·", count: 10 - filled)
        return "\(cells) \(pad("\(Int(fraction * 100))%", 4))"
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
