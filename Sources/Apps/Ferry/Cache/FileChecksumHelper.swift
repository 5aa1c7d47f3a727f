import Crypto
import Dispatch
import FerryCore
public import Foundation
import Glibc

public typealias FileVerificationType = FileChecksumHelper.VerificationType
public typealias FileVerificationError = FileChecksumHelper.FileVerificationError

/// Verifies the checksums of files, whether or not Ferry has downloaded them.
public enum FileChecksumHelper {
    /// A checksum algorithm.
    public enum VerificationType: Int, Codable, Sendable, CaseIterable {
        case md5, sha1, sha256, sha512
    }

    /// Why the verification of a file failed.
    public enum FileVerificationError: Error, Hashable, Sendable {
        /// The expected checksum is empty.
        case codeEmpty
        /// The file's checksum differs from this one.
        case codeMismatch(code: String)
        case fileDoesnotExist(path: String)
        case readDataFailed(path: String)
    }

    private static let queue = DispatchQueue(label: "Ferry.FileChecksumHelper", qos: .utility, attributes: .concurrent)

    /// Compares a file's checksum with an expected one.
    ///
    /// - Parameters:
    ///   - filePath: The path of the file.
    ///   - code: Hexadecimal digits. Case and surrounding whitespace are ignored.
    ///   - type: The algorithm.
    ///   - completion: Called once, on a private queue, with `true` or the error.
    public static func validateFile(
        _ filePath: String, code: String, type: VerificationType,
        completion: @escaping @Sendable (Result<Bool, FileVerificationError>) -> Void
    ) {
        queue.async { completion(result(filePath, code, type)) }
    }

    private static func result(
        _ path: String, _ code: String, _ type: VerificationType
    ) -> Result<Bool, FileVerificationError> {
        let wanted = code.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard !wanted.isEmpty else { return .failure(.codeEmpty) }
        do throws(FileVerificationError) {
            return try FileCode.hex(of: path, type) == wanted ? .success(true) : .failure(.codeMismatch(code: code))
        } catch {
            return .failure(error)
        }
    }
}

extension FileChecksumHelper.FileVerificationError: LocalizedError {
    /// A message for people.
    public var errorDescription: String? {
        switch self {
        case .codeEmpty: "There is no checksum to compare the file with."
        case .codeMismatch(let code): "The file does not have the checksum “\(code)”."
        case .fileDoesnotExist(let path): "There is no file at \(path)."
        case .readDataFailed(let path): "\(path) cannot be read."
        }
    }
}

/// Computes checksums of files, one block at a time.
enum FileCode {
    /// Block size in bytes.
    private static let block = 1 << 20

    /// Returns the checksum of a file in lowercase hexadecimal digits.
    static func hex(
        of path: String, _ type: FileChecksumHelper.VerificationType
    ) throws(FileChecksumHelper.FileVerificationError) -> String {
        let file = try open(path)
        defer { try? file.close() }
        do {
            return try digest(file, type.function)
        } catch {
            throw .readDataFailed(path: path)
        }
    }

    /// Returns the checksum of some data in lowercase hexadecimal digits.
    static func hex(of data: Data, _ type: FileChecksumHelper.VerificationType) -> String {
        digest(data, type.function)
    }

    private static func open(_ path: String) throws(FileChecksumHelper.FileVerificationError) -> FileHandle {
        // O_NONBLOCK: opening a pipe must not block.
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

    private static func digest(_ file: FileHandle, _ function: some HashFunction) throws -> String {
        var function = function
        while let data = try file.read(upToCount: block), !data.isEmpty { function.update(data: data) }
        return function.finalize().hexDigits
    }

    private static func digest(_ data: Data, _ function: some HashFunction) -> String {
        var function = function
        function.update(data: data)
        return function.finalize().hexDigits
    }
}

extension FileChecksumHelper.VerificationType {
    /// A new hash function of the algorithm.
    fileprivate var function: any HashFunction {
        switch self {
        case .md5: Insecure.MD5()
        case .sha1: Insecure.SHA1()
        case .sha256: SHA256()
        case .sha512: SHA512()
        }
    }
}
