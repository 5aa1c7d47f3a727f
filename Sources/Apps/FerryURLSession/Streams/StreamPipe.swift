import Foundation

/// A bounded buffer of bytes between a writer and a reader that block, on two threads.
final class StreamPipe: @unchecked Sendable {  // SAFETY: all state is guarded by the condition
    private let capacity: Int
    private let condition = NSCondition()
    private var bytes = Data()
    private var isReadClosed = false
    private var isWriteClosed = false
    private var failure: (any Error)?

    /// - Parameter capacity: Maximum number of bytes between writer and reader. At least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var hasBytes: Bool { condition.withLock { !bytes.isEmpty || isWriteClosed } }
    var hasSpace: Bool { condition.withLock { bytes.count < capacity || isReadClosed } }
    var isAtEnd: Bool { condition.withLock { bytes.isEmpty && isWriteClosed } }
    var error: (any Error)? { condition.withLock { failure } }

    /// Waits for bytes. Returns nil at the end of the stream, and after the reader has closed it.
    func read(atMost count: Int) -> Data? {
        condition.withLock {
            while bytes.isEmpty, !isWriteClosed, !isReadClosed { condition.wait() }
            guard !bytes.isEmpty, !isReadClosed else { return nil }
            let part = Data(bytes.prefix(max(0, count)))
            bytes = Data(bytes.dropFirst(part.count))
            condition.broadcast()
            return part
        }
    }

    /// Waits for space. Returns the number of written bytes, or nil if the reader reads no more.
    func write(_ data: Data) -> Int? {
        condition.withLock {
            while bytes.count >= capacity, !isReadClosed, !isWriteClosed { condition.wait() }
            if isReadClosed || isWriteClosed { return nil }
            let part = data.prefix(capacity - bytes.count)
            bytes.append(part)
            condition.broadcast()
            return part.count
        }
    }

    func closeRead() { change { isReadClosed = true } }

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
