import Foundation

/// A bounded buffer of bytes between a writer and a reader that block, on two threads.
final class StreamPipe: @unchecked Sendable {  // SAFETY: all state is guarded by the condition
    private let capacity: Int
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    /// Number of bytes at the front that were read.
    private var start = 0
    private var isReadClosed = false
    private var isWriteClosed = false
    private var failure: (any Error)?
    private let readClosed: @Sendable () -> Void

    /// - Parameters:
    ///   - capacity: Maximum number of bytes between writer and reader. At least 1.
    ///   - readClosed: Called once, when the reader reads no more.
    init(capacity: Int, readClosed: @escaping @Sendable () -> Void = {}) {
        self.capacity = max(1, capacity)
        self.readClosed = readClosed
    }

    private var count: Int { bytes.count - start }

    var hasBytes: Bool { condition.withLock { count > 0 || isWriteClosed } }
    var hasSpace: Bool { condition.withLock { count < capacity || isReadClosed } }
    var isAtEnd: Bool { condition.withLock { count == 0 && isWriteClosed } }
    var error: (any Error)? { condition.withLock { failure } }

    /// Waits for bytes. Returns nil at the end of the stream, and after the reader has closed it.
    func read(atMost count: Int) -> Data? {
        condition.withLock {
            while self.count == 0, !isWriteClosed, !isReadClosed { condition.wait() }
            guard self.count > 0, !isReadClosed else { return nil }
            let part = Data(bytes[start...].prefix(max(0, count)))
            start += part.count
            // Not after each of many small reads: it moves all bytes.
            if start > bytes.count / 2 {
                bytes.removeFirst(start)
                start = 0
            }
            condition.broadcast()
            return part
        }
    }

    /// Waits for space. Returns the number of written bytes, or nil if the reader reads no more.
    func write(_ data: Data) -> Int? {
        condition.withLock {
            while count >= capacity, !isReadClosed, !isWriteClosed { condition.wait() }
            if isReadClosed || isWriteClosed { return nil }
            let part = data.prefix(capacity - count)
            bytes.append(contentsOf: part)
            condition.broadcast()
            return part.count
        }
    }

    func closeRead() {
        var isFirst = false
        change {
            isFirst = !isReadClosed
            isReadClosed = true
        }
        if isFirst { readClosed() }
    }

    /// - Parameter error: Why no more bytes come, if it is a failure.
    func closeWrite(_ error: (any Error)? = nil) {
        change {
            isWriteClosed = true
            failure = failure ?? error
        }
    }

    private func change(_ body: () -> Void) {
        condition.withLock {
            body()
            condition.broadcast()
        }
    }
}
