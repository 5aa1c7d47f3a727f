package import FerryFoundation

/// Splits bytes that arrive in pieces into lines without line breaks. Empty lines are included.
package struct LineSplitter: Sendable {
    private var open = Data()
    /// Number of bytes of `open` that are known to contain no line break.
    private var searched = 0

    package init() {}

    /// Number of bytes of the unfinished line.
    package var pending: Int { open.count }

    /// Appends bytes and returns the lines that they complete.
    package mutating func append(_ bytes: some Sequence<UInt8>) -> [Data] {
        open.append(contentsOf: bytes)
        var lines: [Data] = []
        var start = 0
        while let end = open[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Data(open[start..<end]))
            start = end + 1
        }
        if start > 0 { open = Data(open[start...]) }
        searched = open.count
        return lines
    }

    /// Returns the last line if it lacks a line break, and resets the splitter.
    package mutating func finish() -> Data? {
        defer { self = LineSplitter() }
        return open.isEmpty ? nil : open
    }
}
