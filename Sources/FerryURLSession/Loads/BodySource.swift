import FerryEngine
import Foundation
import Synchronization

/// Reads a stream part by part, on threads of its own: a stream may block.
final class BodySource: LoadBodySource {
    /// Bytes that are read at a time.
    private static let partSize = 64 << 10

    private let stream: Mutex<Reader>
    private let replace: @Sendable () async -> InputStream?

    /// - Parameter replace: gives another stream with the same bytes, when the body must be sent again.
    init(_ stream: sending InputStream, replace: @escaping @Sendable () async -> InputStream?) {
        self.stream = Mutex(Reader(stream: stream))
        self.replace = replace
    }

    private struct Reader: ~Copyable {
        let stream: InputStream
        var isOpen = false

        /// The next bytes; nil at the end.
        mutating func read() throws -> Data? {
            if !isOpen {
                stream.open()
                isOpen = true
            }
            var buffer = [UInt8](repeating: 0, count: BodySource.partSize)
            let count = unsafe stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw stream.streamError ?? URLError(.cannotOpenFile) }
            guard count > 0 else {
                stream.close()
                return nil
            }
            return Data(buffer[..<count])
        }
    }

    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.stream.withLock { try $0.read() } })
            }
        }
    }

    func rewound() async throws -> (any LoadBodySource)? {
        guard let stream = await replace() else { return nil }
        return BodySource(stream, replace: replace)
    }
}
