import FerryCore
import NIOCore
import Synchronization

/// Reads the part of an upload sent by one request, piece by piece.
///
/// Reads one piece while the previous one is written to the connection. Their buffers are reused.
final class UploadReader: Sendable {
    private struct State {
        /// Position of the next piece.
        var position: Int64
        var size = PieceSize()
        var sentAt: NIODeadline?
        /// Buffers of earlier pieces.
        var buffers: [ByteBuffer] = []
    }

    /// Number of buffers in use: one is read into, and one is written.
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

    /// Position after the last piece given to the connection.
    var end: Int64 { sent.load(ordering: .relaxed) }

    /// Returns the next piece once the rate limits allow it, or `nil` at the end of the part.
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

    /// Returns the unused buffer of an earlier piece.
    private func buffer() -> ByteBuffer {
        state.withLock { $0.buffers.count < Self.buffers ? ByteBuffer() : $0.buffers.removeFirst() }
    }

    /// Records that a piece is given to the connection, which has taken the previous one.
    func sends(_ piece: ByteBuffer) {
        sent.wrappingAdd(Int64(piece.readableBytes), ordering: .relaxed)
        let now = NIODeadline.now()
        state.withLock { state in
            if let before = state.sentAt { state.size.taken(in: now - before) }
            state.sentAt = now
        }
    }
}

/// Size of the next piece in bytes: large if the connection takes it at once, and small if that takes long, so that a
/// slow connection shows progress.
struct PieceSize: Hashable, Sendable {
    static let range = (16 << 10)...(512 << 10)

    private(set) var bytes = 64 << 10

    /// Records how long the connection took for a piece.
    mutating func taken(in time: TimeAmount) {
        if time < .milliseconds(50) {
            bytes = min(bytes * 2, Self.range.upperBound)
        } else if time > .milliseconds(500) {
            bytes = max(bytes / 2, Self.range.lowerBound)
        }
    }
}
