package import FerryCore
package import Synchronization

/// Progress of a transfer. The receiving event loop writes it, and the service samples it for display.
package final class TransferProgress: Sendable {
    /// Bytes in the partial file, durable or not.
    package let received: Atomic<Int64>
    /// The complete length, or -1 while unknown.
    package let expected: Atomic<Int64>
    /// Request body bytes sent.
    package let sent = Atomic<Int64>(0)
    /// Body bytes transferred over the life of the transfer: bytes received, and for an upload also bytes sent.
    package let spent = Atomic<Int64>(0)
    /// Bytes of the file already read to compute its digest, or -1 while no digest is computed.
    package let verified = Atomic<Int64>(-1)
    /// Whether resolving the host name takes long.
    package let waitsForName = Atomic<Bool>(false)
    private let parts = Mutex<[TransferSegment]>([])

    package init(received: Int64 = 0, expected: Int64? = nil) {
        self.received = Atomic(received)
        self.expected = Atomic(expected ?? -1)
    }

    /// The segments of a transfer with several connections. Empty while it uses one.
    package var segments: [TransferSegment] { parts.withLock(\.self) }

    func show(_ segments: [TransferSegment]) { parts.withLock { $0 = segments } }

    /// Counts bytes received from a server.
    var counting: @Sendable (Int) -> Void {
        { [self] bytes in spent.wrappingAdd(Int64(bytes), ordering: .relaxed) }
    }

    package var expectedLength: Int64? {
        let value = expected.load(ordering: .relaxed)
        return value < 0 ? nil : value
    }
}
