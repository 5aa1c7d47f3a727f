// The list in a terminal, drawn in place.

import Foundation

/// Draws the list in place: the downloads, the last message, and the typed address or the keys.
struct TerminalScreen: Screen {
    private var said = ""

    // Hides the cursor, which would jump around.
    init() { write("\u{1B}[?25l\u{1B}[2J") }

    mutating func show(_ overview: Overview, _ controls: Controls) {
        let size = Self.size
        let rows = overview.lines(width: size.width).prefix(max(size.height - 4, 1))
        let last = controls.typed.map { "Address: \($0)▌" } ?? Controls.help
        let chosen = overview.rows.isEmpty ? nil : min(controls.chosen, overview.rows.count)
        let drawn = (rows + ["", said, String(last.prefix(size.width))]).enumerated().map { number, line in
            let mark = number > 0 && number == chosen && number < rows.count
            return "\u{1B}[\(number + 1);1H\(mark ? "\u{1B}[7m" : "")\(line.prefix(size.width))\u{1B}[0m\u{1B}[K"
        }
        write(drawn.joined() + "\u{1B}[J")
    }

    mutating func say(_ text: String) { said = text.split(separator: "\n").last.map(String.init) ?? "" }

    mutating func close() { write("\u{1B}[?25h\u{1B}[2J\u{1B}[H") }

    private static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 3 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
