package import FerryCore
package import Synchronization

/// How far a transfer is: written by the event loop that receives, sampled by the service that shows it, never sent.
package final class TransferProgress: Sendable {
    /// Bytes in the partial file, durable or not.
    package let received: Atomic<Int64>
    /// The complete length; -1 while it is not known.
    package let expected: Atomic<Int64>
    /// Bytes of the request's body that have left.
    package let sent = Atomic<Int64>(0)
    /// Body bytes that servers have sent over the life of the transfer.
    package let spent = Atomic<Int64>(0)
    /// Bytes of the whole file whose digest is computed; -1 while none is read for it.
    package let verified = Atomic<Int64>(-1)
    /// Whether the look-up of its host's name takes long.
    package let waitsForName = Atomic<Bool>(false)
    private let parts = Mutex<[TransferSegment]>([])

    package init(received: Int64 = 0, expected: Int64? = nil) {
        self.received = Atomic(received)
        self.expected = Atomic(expected ?? -1)
    }

    /// What each of several connections fetches; empty while one is enough.
    package var segments: [TransferSegment] { parts.withLock(\.self) }

    func show(_ segments: [TransferSegment]) { parts.withLock { $0 = segments } }

    /// Counts what a server sends.
    var counting: @Sendable (Int) -> Void {
        { [self] bytes in spent.wrappingAdd(Int64(bytes), ordering: .relaxed) }
    }

    package var expectedLength: Int64? {
        let value = expected.load(ordering: .relaxed)
        return value < 0 ? nil : value
    }
}
