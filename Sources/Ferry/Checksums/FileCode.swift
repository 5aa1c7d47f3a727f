// Ferry: Ferry
// The code of a file.

import Crypto
import Foundation
import Glibc

/// The code of a file, read a block at a time.
enum FileCode {
    /// Bytes that are read at once.
    private static let block = 1 << 20

    /// The code of a file in lower-case hexadecimal digits.
    static func hex(
        of path: String, _ type: FileChecksumHelper.VerificationType
    ) throws(FileChecksumHelper.FileVerificationError) -> String {
        let file = try open(path)
        defer { try? file.close() }
        do {
            switch type {
            case .md5: return try digest(file, Insecure.MD5())
            case .sha1: return try digest(file, Insecure.SHA1())
            case .sha256: return try digest(file, SHA256())
            case .sha512: return try digest(file, SHA512())
            }
        } catch {
            throw .readDataFailed(path: path)
        }
    }

    /// The code of some bytes in lower-case hexadecimal digits.
    static func hex(of data: Data, _ type: FileChecksumHelper.VerificationType) -> String {
        switch type {
        case .md5: Hexadecimal.text(Insecure.MD5.hash(data: data))
        case .sha1: Hexadecimal.text(Insecure.SHA1.hash(data: data))
        case .sha256: Hexadecimal.text(SHA256.hash(data: data))
        case .sha512: Hexadecimal.text(SHA512.hash(data: data))
        }
    }

    private static func open(_ path: String) throws(FileChecksumHelper.FileVerificationError) -> FileHandle {
        // Without O_NONBLOCK a pipe would be waited for.
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .fileDoesnotExist(path: path) : .readDataFailed(path: path)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw .readDataFailed(path: path)
        }
        return file
    }

    private static func digest<Function: HashFunction>(_ file: FileHandle, _ function: Function) throws -> String {
        var function = function
        while let data = try file.read(upToCount: block), !data.isEmpty { function.update(data: data) }
        return Hexadecimal.text(function.finalize())
    }
}
