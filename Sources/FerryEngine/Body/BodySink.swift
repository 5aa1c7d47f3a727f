import FerryCore
import NIOCore
import Synchronization

/// Puts the body of one response into the partial file, on the event loop that read it.
///
/// One event loop writes; others look how far it is and close the window. No lock is held while the disk writes, so that
/// they never wait for it.
final class BodySink: Sendable {
    /// What the writer carries from part to part.
    private struct Passing {
        /// Digests from the beginning of the file; nil where bytes did not pass in order.
        var digest: RunningDigest?
        /// Digests of this response alone.
        var responseDigest: RunningDigest?
        /// Takes a content coding off, from the first part on.
        var decoder: ContentDecoder?

        /// Takes in a part of coded content; whether it is time for a checkpoint, which also judges what was received in vain.
        mutating func feed(_ part: ByteBuffer, _ coding: ContentDecoder.Coding) throws(ServiceError) -> Bool {
            // The server's digest is one of the content as it comes (RFC 9530 §2).
            unsafe part.withUnsafeReadableBytes { unsafe responseDigest?.update($0) }
            if decoder == nil { decoder = try ContentDecoder(coding) }
            let before = decoder?.received ?? 0
            decoder?.feed(part)
            return (decoder?.received ?? 0) / checkpointBytes != before / checkpointBytes
        }
    }

    private let file: PartialFile
    private let disk: any DiskSystem
    private let progress: TransferProgress
    private let window: Mutex<WriteWindow>
    private let passing: Mutex<Passing>
    let start: Int64
    /// Where the response ends, if that is known.
    private let responseEnd: Int64?
    /// What a byte beyond the limit means; nil: nothing, it is dropped.
    private let errorBeyondLimit: ServiceError?
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
        var errorBeyondLimit: ServiceError?
        var digest: RunningDigest?
        var responseDigest: RunningDigest?
        /// The coding that is taken off; positions in the file are positions in the decoded content.
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
        window = Mutex(WriteWindow(from: configuration.start, limit: configuration.limit))
        passing = Mutex(Passing(digest: configuration.digest, responseDigest: configuration.responseDigest))
    }

    /// The end of what has been written.
    var position: Int64 { window.withLock(\.position) }

    /// Whether everything that is wanted has been written, while the response goes on.
    var isAtLimit: Bool { window.withLock { $0.room == 0 } }

    /// Ends the segment earlier: no byte at or after the position is written from now on.
    ///
    /// - Returns: false if that is too late.
    func lower(to limit: Int64) -> Bool { window.withLock { $0.lower(to: limit) } }

    /// Writes as much of the part as belongs to this segment; a closed sink writes nothing.
    ///
    /// - Returns: how many bytes have been dropped so far.
    func append(_ part: ByteBuffer) throws(ServiceError) -> Int64 {
        guard let coding else { return try store(part) }
        let isDue = try passing.withLock { (passing: inout sending Passing) throws(ServiceError) in
            try passing.feed(part, coding)
        }
        if isDue { checkpointDue() }
        var excess: Int64 = 0
        while let piece = try nextPiece() { excess = try store(piece) }
        return excess
    }

    private func nextPiece() throws(ServiceError) -> ByteBuffer? {
        try passing.withLock { (passing: inout sending Passing) throws(ServiceError) in try passing.decoder?.next() }
    }

    /// Notices content that ended in the middle of its coding; nil if there is no such fault.
    var codingFault: ServiceError? {
        passing.withLock { passing in
            do throws(ServiceError) {
                try passing.decoder?.finish()
                return nil
            } catch {
                return error
            }
        }
    }

    private func store(_ part: ByteBuffer) throws(ServiceError) -> Int64 {
        let (position, count) = try window.withLock { (window: inout sending WriteWindow) throws(ServiceError) in
            guard !window.isClosed else { throw ExchangeEnd.stopped }
            if let errorBeyondLimit, Int64(part.readableBytes) > window.room { throw errorBeyondLimit }
            return (window.position, window.claim(part.readableBytes))
        }
        if count > 0 { try write(part, count, at: position) }
        return window.withLock { window in
            // A connection that has much more to bring is not worth reading to its end.
            max(window.excess, window.room > 0 ? 0 : (responseEnd ?? window.position) - window.position)
        }
    }

    /// Writes the claimed bytes at the beginning of a part.
    private func write(_ part: ByteBuffer, _ count: Int, at position: Int64) throws(ServiceError) {
        let written = unsafe part.withUnsafeReadableBytes { bytes -> Result<Void, DiskError> in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
            return Result { () throws(DiskError) in
                var done = 0
                while done < count {
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                    done += try unsafe disk.write(rest, to: file.file, at: position + Int64(done))
                }
                passing.withLock { passing in
                    unsafe passing.digest?.update(bytes)
                    if coding == nil { unsafe passing.responseDigest?.update(bytes) }
                }
            }
        }
        if case .failure(let error) = written {
            // What a failed call may have written lies past the position and is not data.
            passing.withLock { $0.digest = nil }
            window.withLock { $0.settle(isWritten: false) }
            throw error.transferError
        }
        window.withLock { $0.settle(isWritten: true) }
        let received = progress.received.wrappingAdd(Int64(count), ordering: .relaxed)
        if received.oldValue / Self.checkpointBytes != received.newValue / Self.checkpointBytes { checkpointDue() }
    }

    /// Ends all writing but that of a part that is being written.
    ///
    /// - Returns: the position before which all writing ends.
    func shut() -> Int64 { window.withLock { $0.close() } }

    /// Ends all writing and hands out the digests that ran along; the exchange that writes has ended.
    func close() -> (position: Int64, digest: RunningDigest?, responseDigest: RunningDigest?) {
        let position = window.withLock { window in
            _ = window.close()
            return window.position
        }
        return passing.withLock { (position, $0.digest, $0.responseDigest) }
    }
}
