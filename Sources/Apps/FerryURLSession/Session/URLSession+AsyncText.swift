import Foundation

/// Views of a body as UTF-8 text. Invalid bytes become U+FFFD.
extension URLSession.AsyncBytes {
    /// The lines without their terminators. As on Apple's systems, empty lines are left out.
    public var lines: Lines { Lines(bytes: self) }
    /// The characters (extended grapheme clusters).
    public var characters: Characters { Characters(bytes: self) }
    /// The Unicode scalars.
    public var unicodeScalars: UnicodeScalars { UnicodeScalars(bytes: self) }

    /// The lines of a body.
    public struct Lines: AsyncSequence, Sendable {
        public typealias Element = String

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: URLSession.AsyncBytes.Iterator
            private var splitter = LineSplitter()

            fileprivate init(bytes: URLSession.AsyncBytes.Iterator) { self.bytes = bytes }

            public mutating func next() async throws -> String? {
                while let byte = try await bytes.next() {
                    if let line = splitter.take(byte) { return line }
                }
                return splitter.end()
            }
        }
    }

    /// The Unicode scalars of a body.
    public struct UnicodeScalars: AsyncSequence, Sendable {
        public typealias Element = Unicode.Scalar

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: URLSession.AsyncBytes.Iterator
            private var decoder = ScalarDecoder()
            /// Decoded scalars to be returned, in reverse order.
            private var ready: [Unicode.Scalar] = []

            fileprivate init(bytes: URLSession.AsyncBytes.Iterator) { self.bytes = bytes }

            public mutating func next() async throws -> Unicode.Scalar? {
                while ready.isEmpty, let byte = try await bytes.next() { ready = decoder.take(byte).reversed() }
                if ready.isEmpty { ready = decoder.end().reversed() }
                return ready.popLast()
            }
        }
    }

    /// The characters of a body.
    public struct Characters: AsyncSequence, Sendable {
        public typealias Element = Character

        fileprivate let bytes: URLSession.AsyncBytes

        public func makeAsyncIterator() -> Iterator {
            Iterator(scalars: UnicodeScalars(bytes: bytes).makeAsyncIterator())
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var scalars: UnicodeScalars.Iterator
            /// The start of a character that may continue.
            private var rest = ""

            fileprivate init(scalars: UnicodeScalars.Iterator) { self.scalars = scalars }

            public mutating func next() async throws -> Character? {
                while let scalar = try await scalars.next() {
                    rest.unicodeScalars.append(scalar)
                    // A character is complete once the next one has begun.
                    if rest.count > 1 { return rest.removeFirst() }
                }
                return rest.isEmpty ? nil : rest.removeFirst()
            }
        }
    }
}

/// Splits bytes into lines.
struct LineSplitter {
    private var line: [UInt8] = []

    /// - Returns: The line that the byte completes, unless it is empty.
    mutating func take(_ byte: UInt8) -> String? {
        line.append(byte)
        guard let length = separatorLength else { return nil }
        line.removeLast(length)
        return end()
    }

    /// Returns the bytes after the last separator as a line; nil if there are none.
    mutating func end() -> String? {
        guard !line.isEmpty else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Length of the separator at the end of the line, in bytes: LF, VT, FF, CR, U+0085, U+2028 or U+2029.
    private var separatorLength: Int? {
        switch line.last {
        case 0x0A, 0x0B, 0x0C, 0x0D: 1
        case 0x85: line.suffix(2).elementsEqual([0xC2, 0x85]) ? 2 : nil
        case 0xA8, 0xA9: line.count > 2 && line.suffix(3).prefix(2).elementsEqual([0xE2, 0x80]) ? 3 : nil
        default: nil
        }
    }
}

/// Decodes UTF-8 byte by byte.
struct ScalarDecoder {
    private var pending: [UInt8] = []

    /// - Returns: The scalars that the byte completes.
    mutating func take(_ byte: UInt8) -> [Unicode.Scalar] {
        guard !pending.isEmpty, byte & 0xC0 != 0x80 else {
            pending.append(byte)
            return pending.count >= Self.length(pending[0]) ? end() : []
        }
        let cut = end()
        return cut + take(byte)
    }

    /// Returns the scalars of the pending bytes.
    mutating func end() -> [Unicode.Scalar] {
        defer { pending.removeAll(keepingCapacity: true) }
        return Array(String(decoding: pending, as: UTF8.self).unicodeScalars)
    }

    /// Returns the length in bytes of a scalar by its first byte.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
