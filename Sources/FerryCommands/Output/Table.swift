// Ferry: FerryCommands
// Tables on a terminal.

/// Writes rows in columns.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
    }

    var columns: [Column]

    /// Lines without blanks at their ends; the last column takes what it needs.
    func lines(_ rows: [[String]], withTitles: Bool = true) -> [String] {
        let all = (withTitles ? [columns.map(\.title)] : []) + rows
        let widths = columns.indices.map { column in all.map { $0[column].displayWidth }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - text.displayWidth)
                if column > 0 { line += "  " }
                if columns[column].isNumber {
                    line += blanks + text
                } else {
                    line += column == row.count - 1 ? text : text + blanks
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
