import FerryCore
import FerryDisk
import FerryRules
import NIOCore
import Synchronization

/// Writes the body of one response to the partial file, on the event loop that read it.
///
/// Only that event loop writes. Other threads may read the position and close the window. No lock is held during a disk
/// write, so they never wait for one.
final class BodySink: Sendable {
    /// The writer's state between parts.
    private struct Passing {
        /// Digest of the file from byte 0, or `nil` if bytes were not written in order.
        var digest: RunningDigest?
        /// Digest of this response alone.
        var responseDigest: RunningDigest?
        /// Decodes the content coding. Created with the first part.
        var decoder: ContentDecoder?

        /// Decodes a part of coded content.
        ///
        /// - Returns: Whether a checkpoint is due. The checkpoint also judges the bytes received in vain.
        mutating func feed(_ part: ByteBuffer, _ coding: ContentDecoder.Coding) throws(ServiceError) -> Bool {
            // The server's digest covers the encoded content (RFC 9530 §2).
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
    /// Position at which the response ends, or `nil` if unknown.
    private let responseEnd: Int64?
    /// Error for a byte beyond the limit. `nil` drops such bytes.
    private let errorBeyondLimit: ServiceError?
    let gate: RateGate
    private let coding: ContentDecoder.Coding?
    private let checkpointDue: @Sendable () -> Void

    /// Bytes over all responses of a file between two checkpoints.
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
        /// The content coding to decode. File positions count decoded bytes.
        var coding: ContentDecoder.Coding?
        /// Called on the event loop after every `checkpointBytes` over all responses.
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

    /// Position after the last written byte.
    var position: Int64 { window.withLock(\.position) }

    /// Whether all wanted bytes are written. The response may still continue.
    var isAtLimit: Bool { window.withLock { $0.room == 0 } }

    /// Moves the end of the segment down: no byte at or after `limit` is written afterwards.
    ///
    /// - Returns: False, with nothing changed, if bytes after the limit are written or being written.
    func lower(to limit: Int64) -> Bool { window.withLock { $0.lower(to: limit) } }

    /// Writes the bytes of a part that belong to this segment. A closed sink writes nothing.
    ///
    /// - Returns: The number of bytes dropped so far.
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

    /// The error for content that ended inside its coding, or `nil`.
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
            // With many bytes left to receive, reading to the end costs more than a new connection.
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
            // A failed call may have written bytes past the position. They do not count as data.
            passing.withLock { $0.digest = nil }
            window.withLock { $0.settle(isWritten: false) }
            throw error.transferError
        }
        window.withLock { $0.settle(isWritten: true) }
        let received = progress.received.wrappingAdd(Int64(count), ordering: .relaxed)
        if received.oldValue / Self.checkpointBytes != received.newValue / Self.checkpointBytes { checkpointDue() }
    }

    /// Closes the window. Only a part that is already being written is completed.
    ///
    /// - Returns: The position that no write passes.
    func shut() -> Int64 { window.withLock { $0.close() } }

    /// Closes the window and returns the running digests. Call it after the exchange has finished.
    func close() -> (position: Int64, digest: RunningDigest?, responseDigest: RunningDigest?) {
        let position = window.withLock { window in
            _ = window.close()
            return window.position
        }
        return passing.withLock { (position, $0.digest, $0.responseDigest) }
    }
}
