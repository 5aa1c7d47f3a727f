package import Foundation
import NIOCore

/// A read of a stream.
package struct StreamRead: Hashable, Sendable {
    /// The read waits for this number of bytes, or for the end of the stream.
    package var minimum: Int
    package var maximum: Int

    /// Values below 1 count as 1.
    package init(minimum: Int, maximum: Int) {
        self.minimum = max(1, min(minimum, maximum))
        self.maximum = max(1, maximum)
    }
}

/// The result of a read.
package struct StreamPart: Hashable, Sendable {
    /// Nil at the end of the stream.
    package var data: Data?
    /// Whether the peer has sent its last byte, and this part has it.
    package var isAtEnd: Bool
}

/// The bytes that have arrived on a stream and were not read yet. Decides when a read is answered, and when no more bytes
/// are taken from the network.
struct StreamInbox {
    /// Maximum number of bytes to keep without a read.
    static let capacity = 1 << 20

    private var bytes = ByteBuffer()
    private var hasEnded = false

    var isEmpty: Bool { bytes.readableBytes == 0 }

    /// Whether to take no more bytes from the network.
    ///
    /// - Parameter read: The read that waits, which may want more bytes than are kept otherwise.
    func isFull(for read: StreamRead?) -> Bool {
        bytes.readableBytes >= max(Self.capacity, read?.minimum ?? 0)
    }

    mutating func append(_ new: ByteBuffer) {
        var new = new
        bytes.writeBuffer(&new)
    }

    /// Records that the peer sends no more.
    mutating func end() { hasEnded = true }

    /// Returns the result of a read, or nil if it has to wait.
    mutating func take(_ read: StreamRead) -> StreamPart? {
        let count = min(bytes.readableBytes, read.maximum)
        guard count >= read.minimum || hasEnded else { return nil }
        let part = bytes.readBytes(length: count)
        // Not after each of many small reads: it moves all bytes.
        if bytes.readerIndex > bytes.readableBytes { bytes.discardReadBytes() }
        return StreamPart(
            data: part.flatMap { $0.isEmpty ? nil : Data($0) }, isAtEnd: hasEnded && bytes.readableBytes == 0)
    }
}
