import FerryCore
import Foundation
import NIOCore

/// A file that is the body of a request: read piece by piece as it was when it was opened.
struct SentFile: Sendable {
    private static let pieceSize: Int64 = 256 << 10

    private let file: OpenFile
    let size: Int64
    /// Nanoseconds since 1970 of the last modification.
    let modified: Int64

    /// Opens the file; blocks.
    ///
    /// - Throws: ``TransferError`` with Foundation's code for what is missing, a directory or unreadable.
    init(path: String) throws(TransferError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        file = OpenFile(descriptor: descriptor, path: path)
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw Self.failure(path, errno) }
        guard facts.st_mode & S_IFMT != S_IFDIR else { throw Self.failure(path, EISDIR) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw Self.failure(path, EACCES) }
        size = Int64(facts.st_size)
        modified = Self.modified(facts)
    }

    /// Whether size and time of the last modification are still the same; blocks.
    var isUnchanged: Bool {
        var facts = stat()
        guard unsafe fstat(file.descriptor, &facts) == 0 else { return false }
        return Int64(facts.st_size) == size && Self.modified(facts) == modified
    }

    private static func modified(_ facts: stat) -> Int64 {
        Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }

    /// The piece at an offset; nil at the end of what the file had when it was opened.
    func piece(at offset: Int64, disk: DiskQueue) async throws(TransferError) -> ByteBuffer? {
        let count = Int(min(Self.pieceSize, size - offset))
        guard count > 0 else { return nil }
        let place = DiskLane.Place.folder(file.path.folderPart)
        let read = await disk.at(place).result { [file] system throws(DiskError) -> ByteBuffer in
            var piece = ByteBuffer()
            var failure: DiskError?
            unsafe piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
                do throws(DiskError) {
                    return try unsafe system.read(into: room, from: file, at: offset)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            return piece
        }
        switch read {
        case .success(let piece): return piece.readableBytes > 0 ? piece : nil
        case .failure(let error): throw Self.failure(file.path, error.errno)
        }
    }

    private static func failure(_ path: String, _ errno: Int32) -> TransferError {
        let shown = path.escapingControls
        let (message, urlError) =
            switch errno {
            case ENOENT, ENOTDIR: ("There is no file \(shown) to send.", -1100)
            case EISDIR: ("\(shown) is a directory and cannot be sent.", -1101)
            default: ("The file \(shown) cannot be read.", -1102)
            }
        return TransferError(.invalidRequest, message, details: ErrorDetails(errno: errno, urlError: urlError))
    }
}
