// Ferry: FerryEngine
// Bodies that are in memory or in a file.

import FerryCore
import Foundation
import NIOCore
import Synchronization

extension RequestBodyStream {
    /// Size of the pieces of what is in memory.
    private static let pieceSize = 64 << 10

    convenience init(_ data: Data) {
        let offset = Mutex(0)
        self.init(length: Int64(data.count)) {
            let start = offset.withLock { offset in
                defer { offset += Self.pieceSize }
                return offset
            }
            guard start < data.count else { return nil }
            let from = data.startIndex + start
            return ByteBuffer(bytes: data[from..<min(from + Self.pieceSize, data.endIndex)])
        }
    }

    /// - Parameter read: called once the last byte has been read.
    convenience init(_ file: SentFile, disk: DiskQueue, read: @escaping @Sendable () async throws -> Void = {}) {
        let offset = Atomic<Int64>(0)
        self.init(length: file.size) {
            let start = offset.load(ordering: .relaxed)
            guard let piece = try await file.piece(at: start, disk: disk) else {
                try await read()
                return nil
            }
            offset.store(start + Int64(piece.readableBytes), ordering: .relaxed)
            return piece
        }
    }
}
