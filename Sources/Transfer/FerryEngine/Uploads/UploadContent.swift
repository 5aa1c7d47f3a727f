import FerryCore
import FerryDisk
import Foundation
import NIOCore

/// The content of an upload, readable from any position.
enum UploadContent: Sendable {
    case bytes(Data)
    case file(SentFile, DiskQueue)

    /// Opens the content of a request.
    ///
    /// - Throws: ``ServiceError`` with code `file_changed` if the file is not the one of the request, or with
    ///   Foundation's code for a file that cannot be sent.
    init(_ body: RequestBody, disk: DiskQueue) async throws(ServiceError) {
        switch body {
        case .bytes(let data): self = .bytes(data)
        case .file(let given):
            self = try await Self(path: given.path, disk: disk)
            if case .file(let file, _) = self { try file.check(is: given) }
        }
    }

    init(path: String, disk: DiskQueue) async throws(ServiceError) {
        let opened = await disk.result { _ throws(DiskError) in
            Result { () throws(ServiceError) in try SentFile(path: path) }
        }
        switch opened {
        case .success(let file): self = .file(try file.get(), disk)
        case .failure(let error): throw error.transferError
        }
    }

    /// Total length in bytes.
    var length: Int64 {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file, _): file.size
        }
    }

    /// Returns bytes from a position, at most `count`.
    ///
    /// - Parameter buffer: Returns the memory for them. It is reused when nothing else refers to it.
    /// - Throws: ``ServiceError`` with code `file_changed`.
    func piece(at position: Int64, count: Int, into buffer: @escaping @Sendable () -> ByteBuffer)
        async throws(ServiceError) -> ByteBuffer
    {
        switch self {
        case .bytes(let data):
            let start = data.startIndex + Int(position)
            return ByteBuffer(bytes: data[start..<min(start + count, data.endIndex)])
        case .file(let file, let disk):
            return try await file.piece(at: position, count: count, into: buffer, disk: disk)
        }
    }
}
