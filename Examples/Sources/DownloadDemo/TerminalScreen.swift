// The list in a terminal, drawn in place.

import Foundation

/// Draws the list in place: a line to write in, what was said last, the list.
///
/// The terminal itself edits the first line, so that it needs no settings and is as it was when the program is killed.
struct TerminalScreen: Screen {
    private static let prompt = "> "
    private var said = ""

    init() { write("\u{1B}[2J\u{1B}[1;1H\(Self.prompt)") }

    mutating func show(_ overview: Overview) {
        let size = Self.size
        let lines = ([said, ""] + overview.lines(width: size.width)).prefix(size.height - 2)
        let drawn = zip(2..., lines).map { "\u{1B}[\($0);1H\($1.prefix(size.width))\u{1B}[K" }.joined()
        // What is being written stays: its place is kept, and found again.
        write("\u{1B}7\(drawn)\u{1B}[J\u{1B}8")
    }

    /// Follows what was written, so the first line is empty again.
    mutating func say(_ text: String) {
        said = text.split(separator: "\n").last.map(String.init) ?? ""
        write("\u{1B}[1;1H\(Self.prompt)\u{1B}[K")
    }

    mutating func close() { write("\u{1B}[2J\u{1B}[1;1H") }

    private static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 3 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
