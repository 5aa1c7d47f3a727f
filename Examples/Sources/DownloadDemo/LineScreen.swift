// The list without a terminal.

import Ferry

/// Prints each change as a line, for pipes and files.
struct LineScreen: Screen {
    private var shown: [DownloadTask.ID: Status] = [:]

    mutating func show(_ overview: Overview, _ controls: Controls) {
        for row in overview.rows where shown[row.id] != row.status { write(row.summary + "\n") }
        let ids = Set(overview.rows.map(\.id))
        for id in shown.keys where !ids.contains(id) { write("gone \(id.rawValue)\n") }
        shown = Dictionary(overview.rows.map { ($0.id, $0.status) }) { $1 }
    }

    mutating func say(_ text: String) {
        if !text.isEmpty { write(text + "\n") }
    }

    mutating func close() {}
}
