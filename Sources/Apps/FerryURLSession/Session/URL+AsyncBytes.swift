public import Foundation

/// The content of a URL as it arrives, loaded by `URLSession.shared` once it is iterated.
extension URL {
    /// The bytes of a URL's content.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8

        fileprivate let url: URL

        public func makeAsyncIterator() -> Iterator { Iterator(url: url) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let url: URL
            private var iterator: URLSession.AsyncBytes.Iterator?

            fileprivate init(url: URL) { self.url = url }

            /// - Throws: `URLError`.
            public mutating func next() async throws -> UInt8? {
                var iterator = iterator
                if iterator == nil { iterator = try await URLSession.shared.bytes(from: url).0.makeAsyncIterator() }
                defer { self.iterator = iterator }
                return try await iterator?.next()
            }
        }
    }

    /// The lines of a URL's content, without their terminators and without empty lines.
    public struct AsyncLines: AsyncSequence, Sendable {
        public typealias Element = String

        fileprivate let url: URL

        public func makeAsyncIterator() -> Iterator { Iterator(url: url) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let url: URL
            private var iterator: URLSession.AsyncBytes.Lines.AsyncIterator?

            fileprivate init(url: URL) { self.url = url }

            /// - Throws: `URLError`.
            public mutating func next() async throws -> String? {
                var iterator = iterator
                if iterator == nil {
                    iterator = try await URLSession.shared.bytes(from: url).0.lines.makeAsyncIterator()
                }
                defer { self.iterator = iterator }
                return try await iterator?.next()
            }
        }
    }

    /// The bytes of the URL's content: of an http, https, file or data URL.
    public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

    /// The lines of the URL's content, as UTF-8: of an http, https, file or data URL.
    public var lines: AsyncLines { AsyncLines(url: self) }
}
