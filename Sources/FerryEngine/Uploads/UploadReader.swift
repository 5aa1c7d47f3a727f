import FerryCore
import NIOCore
import Synchronization

/// Reads the part of an upload that one request sends, piece by piece.
///
/// One piece is read while the one before it is written to the connection; their buffers are used again.
final class UploadReader: Sendable {
    private struct State {
        /// Where the next piece begins.
        var position: Int64
        var size = PieceSize()
        var sentAt: NIODeadline?
        /// Buffers of earlier pieces.
        var buffers: [ByteBuffer] = []
    }

    /// Buffers that are in use at the same time: one is read into, and one is written.
    private static let buffers = 2

    private let content: UploadContent
    private let part: Range<Int64>
    private let gate: RateGate?
    private let state: Mutex<State>
    private let sent: Atomic<Int64>

    init(_ content: UploadContent, _ part: Range<Int64>, gate: RateGate?) {
        self.content = content
        self.part = part
        self.gate = gate
        sent = Atomic(part.lowerBound)
        state = Mutex(State(position: part.lowerBound))
    }

    /// The position after the last piece that was given to the connection.
    var end: Int64 { sent.load(ordering: .relaxed) }

    /// The next piece, once the limits of the rate allow it; nil at the end of the part.
    ///
    /// - Throws: ``ServiceError`` with code `file_changed`.
    func next() async throws(ServiceError) -> ByteBuffer? {
        let (position, size) = state.withLock { ($0.position, $0.size.bytes) }
        guard position < part.upperBound else { return nil }
        var count = min(size, Int(clamping: part.upperBound - position))
        if let gate, !gate.isOpen { count = min(count, gate.pieceSize) }
        let piece = try await content.piece(at: position, count: count, into: { self.buffer() })
        state.withLock { state in
            state.position += Int64(piece.readableBytes)
            state.buffers.append(piece)
        }
        if let wait = gate?.reserve(piece.readableBytes), wait > 0 {
            // A request that ends cancels its body.
            do { try await Task.sleep(for: .nanoseconds(Int64(clamping: wait))) } catch { throw ExchangeEnd.stopped }
        }
        return piece
    }

    /// A buffer of an earlier piece that is not in use any more.
    private func buffer() -> ByteBuffer {
        state.withLock { $0.buffers.count < Self.buffers ? ByteBuffer() : $0.buffers.removeFirst() }
    }

    /// Notes that a piece goes to the connection, which has taken the one before.
    func sends(_ piece: ByteBuffer) {
        sent.wrappingAdd(Int64(piece.readableBytes), ordering: .relaxed)
        let now = NIODeadline.now()
        state.withLock { state in
            if let before = state.sentAt { state.size.taken(in: now - before) }
            state.sentAt = now
        }
    }
}

/// Bytes of the next piece: large where the connection takes it at once, and small where that takes long, so that a slow
/// connection shows that it moves.
struct PieceSize: Hashable, Sendable {
    static let range = (16 << 10)...(512 << 10)

    private(set) var bytes = 64 << 10

    /// Takes in how long the connection took for a piece.
    mutating func taken(in time: TimeAmount) {
        if time < .milliseconds(50) {
            bytes = min(bytes * 2, Self.range.upperBound)
        } else if time > .milliseconds(500) {
            bytes = max(bytes / 2, Self.range.lowerBound)
        }
    }
}
