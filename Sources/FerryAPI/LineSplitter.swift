package import FerryFoundation

/// Cuts bytes that arrive in pieces into lines, without their line breaks; empty lines count.
package struct LineSplitter: Sendable {
    private var open = Data()
    /// Bytes of `open` that hold no line break.
    private var searched = 0

    package init() {}

    /// Bytes of the line that has not ended.
    package var pending: Int { open.count }

    /// Takes the next bytes and returns the lines that end in them.
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

    /// The last line, if it ended without a line break.
    package mutating func finish() -> Data? {
        defer { self = LineSplitter() }
        return open.isEmpty ? nil : open
    }
}
