import FerryCore
import FerryFoundation
import FerryDisk
import Foundation
import NIOCore

/// An open file that is the body of requests. Read piece by piece, and only while it is unchanged.
struct SentFile: Sendable {
    private let file: OpenFile
    let size: Int64
    /// Modification time, in nanoseconds since 1970.
    let modified: Int64
    /// Time of the last change to bytes or metadata, in nanoseconds since 1970. No program can set it back.
    private let changed: Int64
    private let inode: UInt64

    /// Opens the file. Blocks.
    ///
    /// - Throws: ``ServiceError`` with Foundation's code for a path that is missing, a directory or unreadable.
    init(path: String) throws(ServiceError) {
        let descriptor = path.withPath { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        file = OpenFile(descriptor: descriptor, path: path)
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw Self.failure(path, errno) }
        guard facts.st_mode & S_IFMT != S_IFDIR else { throw Self.failure(path, EISDIR) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw Self.failure(path, EACCES) }
        size = Int64(facts.st_size)
        modified = Self.modified(facts)
        changed = Self.changed(facts)
        inode = UInt64(facts.st_ino)
    }

    /// Whether size and times are unchanged. Blocks.
    private var isUnchanged: Bool {
        var facts = stat()
        guard unsafe fstat(file.descriptor, &facts) == 0 else { return false }
        return Int64(facts.st_size) == size && Self.modified(facts) == modified && Self.changed(facts) == changed
    }

    /// Checks that this is the file of the request.
    ///
    /// - Throws: ``ServiceError`` with code `file_changed`.
    func check(is given: RequestBody.SentFile) throws(ServiceError) {
        guard size == given.size, modified == given.modified, given.inode.map({ $0 == inode }) ?? true,
            given.changed.map({ $0 == changed }) ?? true
        else { throw hasChanged }
    }

    /// The file's properties when it was opened.
    var noted: RequestBody.SentFile {
        RequestBody.SentFile(path: file.path, size: size, modified: modified, inode: inode, changed: changed)
    }

    private var hasChanged: ServiceError {
        ServiceError(
            .fileChanged,
            "The file \(file.path.escapingControls) has changed since its upload was submitted; upload it again.")
    }

    private static func modified(_ facts: stat) -> Int64 {
        Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }

    private static func changed(_ facts: stat) -> Int64 {
        Int64(seconds: facts.st_ctim.tv_sec, nanoseconds: facts.st_ctim.tv_nsec)
    }

    /// Reads bytes from an offset.
    ///
    /// - Throws: ``ServiceError`` with code `file_changed` if the file has changed. The check follows the read, so that
    ///   bytes of another version are never returned.
    func piece(
        at offset: Int64, count: Int, into buffer: @escaping @Sendable () -> ByteBuffer, disk: DiskQueue
    ) async throws(ServiceError) -> ByteBuffer {
        let place = DiskLane.Place.folder(file.path.folderPart)
        let read = await disk.at(place).result { [self] system throws(DiskError) -> ByteBuffer? in
            // Taken here, so that nothing else refers to it and its memory is reused.
            var piece = buffer()
            piece.clear(minimumCapacity: count)
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
            return isUnchanged && piece.readableBytes > 0 ? piece : nil
        }
        switch read {
        case .success(let piece?): return piece
        case .success(nil): throw hasChanged
        case .failure(let error): throw Self.failure(file.path, error.errno)
        }
    }

    private static func failure(_ path: String, _ errno: Int32) -> ServiceError {
        let shown = path.escapingControls
        let (message, urlError) =
            switch errno {
            case ENOENT, ENOTDIR: ("There is no file \(shown) to send.", -1100)
            case EISDIR: ("\(shown) is a directory and cannot be sent.", -1101)
            default: ("The file \(shown) cannot be read.", -1102)
            }
        return ServiceError(.invalidRequest, message, details: ErrorDetails(errno: errno, urlError: urlError))
    }
}
