// Ferry: FerryCore
// Very many URLs, as the bytes of their lines.

/// URLs as the bytes of lines: a hundred thousand take no more memory than their text.
///
/// Lines end in a line feed, a carriage return before it is no part of them; empty lines count as none.
package struct URLLines: Hashable, Sendable {
    package let bytes: [UInt8]
    private let start: Int

    /// - Parameter start: where the first line begins.
    package init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        self.start = min(start, bytes.count)
    }

    package init(_ urls: some Sequence<String>) {
        var bytes: [UInt8] = []
        for url in urls {
            bytes.append(contentsOf: url.utf8)
            bytes.append(Self.lineFeed)
        }
        self.init(bytes)
    }

    /// All lines, as they were given.
    package var text: ArraySlice<UInt8> { bytes[start...] }

    package func forEach(_ body: (ArraySlice<UInt8>) throws -> Void) rethrows {
        var rest = text
        while !rest.isEmpty {
            let end = rest.firstIndex(of: Self.lineFeed) ?? rest.endIndex
            var line = rest[..<end]
            if line.last == Self.carriageReturn { line.removeLast() }
            if !line.isEmpty { try body(line) }
            rest = rest[min(end + 1, rest.endIndex)...]
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
