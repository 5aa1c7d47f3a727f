import FerryEngine
import Foundation
import Synchronization

/// A body source that reads a stream in parts, on its own threads, since a stream may block.
final class BodySource: LoadBodySource {
    /// Size of a read, in bytes.
    private static let partSize = 64 << 10

    private let stream: Mutex<Reader>
    private let replace: @Sendable () async -> InputStream?

    /// - Parameter replace: Returns another stream with the same bytes when the body must be sent again.
    init(_ stream: sending InputStream, replace: @escaping @Sendable () async -> InputStream?) {
        self.stream = Mutex(Reader(stream: stream))
        self.replace = replace
    }

    private struct Reader: ~Copyable {
        let stream: InputStream
        var isOpen = false

        /// Returns the next bytes; nil at the end.
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

extension LoadTransport.Body {
    /// Returns the body that the engine sends.
    ///
    /// - Throws: `URLError` with code `requestBodyStreamExhausted` if the body is a stream and the delegate provides
    ///   none.
    func load(of request: URLRequest, _ relay: TaskRelay) async throws -> LoadBody {
        switch self {
        case .none:
            if let data = request.httpBody { return .bytes(data) }
            guard request.httpBodyStream != nil else { return .none }
            return try await Self.stream(of: request, relay)
        case .bytes(let data): return .bytes(data)
        case .file(let file): return .file(path: file.path)
        case .stream: return try await Self.stream(of: request, relay)
        }
    }

    private static func stream(of request: URLRequest, _ relay: TaskRelay) async throws -> LoadBody {
        // A stream can be read only once. To send it again, the delegate must provide another.
        let own = request.httpBodyStream
        let given: InputStream? = if own == nil { await relay.needBodyStream() } else { nil }
        guard let stream = own ?? given else { throw URLError(.requestBodyStreamExhausted) }
        let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        return .stream(BodySource(stream) { await relay.needBodyStream() }, length: length)
    }

    /// Returns the number of bytes to send; -1 if unknown.
    func expected(of request: URLRequest) -> Int64 {
        switch self {
        case .none: Int64(request.httpBody?.count ?? 0)
        case .bytes(let data): Int64(data.count)
        case .file(let file):
            (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize).flatMap { $0 }.map(Int64.init) ?? -1
        case .stream: request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } ?? -1
        }
    }
}
