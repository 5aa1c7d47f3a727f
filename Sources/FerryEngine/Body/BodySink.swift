// Ferry: FerryEngine
// Where body bytes go.

import FerryCore
import NIOCore
import Synchronization

/// Puts the body of one response into the partial file, on the event loop that read it.
///
/// The lock is uncontended: one event loop writes; closing, which may come from elsewhere, is what it is for. After `close`
/// returns nothing is written any more.
final class BodySink: Sendable {
    private struct State {
        var position: Int64
        /// No byte at or after this position is written.
        var limit: Int64
        var isClosed = false
        /// Bytes that arrived beyond the limit and were dropped.
        var excess: Int64 = 0
        /// Digests from the beginning of the file; nil where bytes did not pass in order.
        var digest: RunningDigest?
        /// Digests of this response alone.
        var responseDigest: RunningDigest?
        /// Takes a content coding off, from the first part on.
        var decoder: ContentDecoder?
    }

    private let file: PartialFile
    private let disk: any DiskSystem
    private let progress: TransferProgress
    private let state: Mutex<State>
    let start: Int64
    /// Where the response ends, if that is known.
    private let responseEnd: Int64?
    /// What a byte beyond the limit means; nil: nothing, it is dropped.
    private let errorBeyondLimit: TransferError?
    let gate: RateGate
    private let coding: ContentDecoder.Coding?
    private let checkpointDue: @Sendable () -> Void

    /// Bytes of all responses of a file after which a checkpoint is asked for.
    static let checkpointBytes: Int64 = 32 << 20

    struct Configuration {
        var file: PartialFile
        var disk: any DiskSystem
        var progress: TransferProgress
        var gate: RateGate
        var start: Int64
        var limit: Int64
        var responseEnd: Int64?
        var errorBeyondLimit: TransferError?
        var digest: RunningDigest?
        var responseDigest: RunningDigest?
        /// Positions in the file are those of the decoded content.
        var coding: ContentDecoder.Coding?
        /// Called on the event loop each time `checkpointBytes` have gathered in all responses.
        var checkpointDue: @Sendable () -> Void
    }

    init(_ configuration: Configuration) {
        file = configuration.file
        disk = configuration.disk
        progress = configuration.progress
        gate = configuration.gate
        start = configuration.start
        responseEnd = configuration.responseEnd
        errorBeyondLimit = configuration.errorBeyondLimit
        coding = configuration.coding
        checkpointDue = configuration.checkpointDue
        state = Mutex(
            State(
                position: configuration.start, limit: configuration.limit, digest: configuration.digest,
                responseDigest: configuration.responseDigest))
    }

    /// The end of what has been written.
    var position: Int64 { state.withLock(\.position) }

    /// Whether everything that is wanted has been written, while the response goes on.
    var isAtLimit: Bool { state.withLock { $0.position >= $0.limit } }

    /// Ends the segment earlier: no byte at or after the position is written from now on.
    ///
    /// - Returns: false if that is too late.
    func lower(to limit: Int64) -> Bool {
        state.withLock { state in
            guard state.position <= limit else { return false }
            state.limit = min(state.limit, limit)
            return true
        }
    }

    /// Writes as much of the part as belongs to this segment; a closed sink writes nothing.
    ///
    /// - Returns: how many bytes have been dropped so far.
    func append(_ part: ByteBuffer) throws(TransferError) -> Int64 {
        guard let coding else { return try store(part) }
        try state.withLock { (state: inout sending State) throws(TransferError) in
            if state.decoder == nil { state.decoder = try ContentDecoder(coding) }
            state.decoder?.feed(part)
        }
        var excess: Int64 = 0
        while let piece = try nextPiece() { excess = try store(piece) }
        return excess
    }

    private func nextPiece() throws(TransferError) -> ByteBuffer? {
        try state.withLock { (state: inout sending State) throws(TransferError) in try state.decoder?.next() }
    }

    /// Notices content that ended in the middle of its coding; nil if there is no such fault.
    var codingFault: TransferError? {
        state.withLock { state in
            do throws(TransferError) {
                try state.decoder?.finish()
                return nil
            } catch {
                return error
            }
        }
    }

    private func store(_ part: ByteBuffer) throws(TransferError) -> Int64 {
        let (wanted, excess) = try state.withLock { (state: inout sending State) throws(TransferError) in
            guard !state.isClosed else { throw ExchangeEnd.stopped }
            let wanted = Int(min(Int64(part.readableBytes), state.limit - state.position))
            if wanted < part.readableBytes {
                if let errorBeyondLimit { throw errorBeyondLimit }
                state.excess += Int64(part.readableBytes - wanted)
            }
            guard wanted > 0 else { return (0, state.excess) }
            do {
                try unsafe part.withUnsafeReadableBytes { bytes in
                    let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<wanted])
                    var done = 0
                    while done < wanted {
                        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                        done += try unsafe disk.write(rest, to: file.file, at: state.position + Int64(done))
                    }
                    unsafe state.digest?.update(bytes)
                    unsafe state.responseDigest?.update(bytes)
                }
            } catch let error as DiskError {
                // What a failed call may have written lies past the position and is not data.
                state.digest = nil
                throw error.transferError
            } catch {
                preconditionFailure("disk calls throw DiskError alone")
            }
            state.position += Int64(wanted)
            // Nobody reads on for the sake of a connection that has much more to bring.
            let left = state.position < state.limit ? 0 : (responseEnd ?? state.position) - state.position
            return (wanted, max(state.excess, left))
        }
        let received = progress.received.wrappingAdd(Int64(wanted), ordering: .relaxed)
        if received.oldValue / Self.checkpointBytes != received.newValue / Self.checkpointBytes { checkpointDue() }
        return excess
    }

    /// Ends all writing and hands out the digests that ran along.
    func close() -> (position: Int64, digest: RunningDigest?, responseDigest: RunningDigest?) {
        state.withLock { state in
            state.isClosed = true
            return (state.position, state.digest, state.responseDigest)
        }
    }
}
