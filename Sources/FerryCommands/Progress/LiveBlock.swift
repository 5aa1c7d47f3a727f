// Ferry: FerryCommands
// Lines that are drawn again in place.

/// The control sequences that draw a block of lines in the place of the block before.
struct LiveBlock {
    private var drawn = 0

    /// Above the block, lines that stay; below them the new block.
    mutating func draw(above: [String] = [], _ lines: [String]) -> String {
        var text = drawn > 0 ? (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") + "\r" : Self.hideCursor
        for line in above { text += line + "\u{1B}[K\n" }
        text += lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")
        // What is left of a longer block goes.
        text += "\u{1B}[J"
        drawn = max(1, lines.count)
        return text
    }

    /// Takes the block away; lines that stay take its place.
    mutating func finish(above: [String] = []) -> String {
        guard drawn > 0 else { return above.map { $0 + "\n" }.joined() }
        let text = (drawn > 1 ? "\u{1B}[\(drawn - 1)A" : "") + "\r\u{1B}[J" + Self.showCursor
        drawn = 0
        return text + above.map { $0 + "\n" }.joined()
    }

    static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
}
