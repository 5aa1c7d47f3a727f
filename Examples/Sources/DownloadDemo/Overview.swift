// What there is to see, as a value.

import Ferry

/// What there is to see at one moment.
struct Overview: Equatable {
    var rows: [Row] = []
    /// All downloads together.
    var speed = ""
    var remaining = ""
    var limit = 0

    /// One download.
    struct Row: Equatable {
        let id: DownloadTask.ID
        /// Its place in the list, from 1.
        let number: Int
        let name: String
        let status: Status
        /// What it waits for, or why it failed, or where its file is.
        let remark: String
        /// From 0 to 1; nil while the size is unknown.
        let fraction: Double?
        let received: Int64
        let speed: String
        let remaining: String
    }
}

// MARK: As text

extension Overview {
    /// The whole list, in lines of at most that many characters.
    func lines(width: Int) -> [String] {
        let running = rows.count { $0.status == .running }
        let left = remaining.isEmpty ? "" : ", \(remaining) left"
        let head = "\(rows.count) downloads, \(running) running of at most \(limit) · \(speed)\(left)"
        return ([head] + rows.map(\.text)).map { String($0.prefix(max(width, 1))) }
    }
}

extension Overview.Row {
    /// The row with a bar, for a list that is drawn anew.
    var text: String {
        "\(pad("\(number)", 3)) \(bar) \(pad(status.rawValue, 11)) \(name)  \(detail)"
    }

    /// The row without what changes all the time, for lines that stay.
    var summary: String { "\(number) \(status.rawValue) \(name)\(remark.isEmpty ? "" : " \(remark)")" }

    private var detail: String {
        guard status == .running else { return remark }
        return remaining.isEmpty ? speed : "\(speed), \(remaining) left"
    }

    /// Ten cells and per cent; bytes while the size is unknown.
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
