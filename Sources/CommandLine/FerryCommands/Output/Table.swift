/// Formats rows in columns.
package struct Table {
    package struct Column {
        var title: String
        var isNumber = false

        package init(title: String, isNumber: Bool = false) {
            self.title = title
            self.isNumber = isNumber
        }
    }

    var columns: [Column]

    package init(columns: [Column]) { self.columns = columns }

    /// The lines without trailing spaces. The last column has no maximum width.
    package func lines(_ rows: [[String]], withTitles: Bool = true) -> [String] {
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

extension Character {
    /// Terminal columns of a character: 0, 1 or 2.
    var displayWidth: Int {
        // CRLF and lone combining marks are Characters too.
        guard let first = unicodeScalars.first else { return 0 }
        if first.value < 0x7F { return first.value < 0x20 ? 0 : 1 }
        if first.properties.isWide || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: return first.isWide ? 2 : 1
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether the scalar is displayed as a double-width emoji.
    fileprivate var isWide: Bool { isEmojiPresentation }
}

extension Unicode.Scalar {
    /// Whether the scalar is wide or full-width (UAX #11).
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

extension String {
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// Pads or shortens the text to a number of columns. Shortened in the middle, where names differ least.
    func fitted(to width: Int) -> String {
        let own = displayWidth
        if own <= width { return self + String(repeating: " ", count: width - own) }
        guard width > 1 else { return String(repeating: "…", count: max(0, width)) }
        let tail = columns(last: (width - 1) / 2)
        let head = columns(first: width - 1 - tail.displayWidth)
        let result = head + "…" + tail
        return result + String(repeating: " ", count: width - result.displayWidth)
    }

    /// The longest prefix within a number of columns.
    func columns(first width: Int) -> String {
        var left = width
        return String(
            prefix { character in
                left -= character.displayWidth
                return left >= 0
            })
    }

    private func columns(last width: Int) -> String {
        String(String(reversed()).columns(first: width).reversed())
    }
}

/// Colors text, or leaves it unchanged.
struct Palette {
    enum Color: Int {
        case red = 31, green = 32, yellow = 33, cyan = 36, dim = 2
    }

    var isOn: Bool

    func paint(_ text: String, _ color: Color) -> String {
        isOn ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}
