import Crypto
import Dispatch
public import Foundation
import Glibc

public typealias FileVerificationType = FileChecksumHelper.VerificationType
public typealias FileVerificationError = FileChecksumHelper.FileVerificationError

/// Compares files with codes, whether Ferry has downloaded them or not.
public enum FileChecksumHelper {
    /// How a code is made of a file.
    public enum VerificationType: Int, Codable, Sendable, CaseIterable {
        case md5, sha1, sha256, sha512
    }

    /// Why a file was not found to have a code.
    public enum FileVerificationError: Error, Hashable, Sendable {
        /// There was no code to compare with.
        case codeEmpty
        /// The file has another code than this.
        case codeMismatch(code: String)
        case fileDoesnotExist(path: String)
        case readDataFailed(path: String)
    }

    private static let queue = DispatchQueue(label: "Ferry.FileChecksumHelper", qos: .utility, attributes: .concurrent)

    /// Compares a file with a code.
    ///
    /// - Parameters:
    ///   - code: hexadecimal digits; case and white space around them do not matter.
    ///   - completion: called once, on a queue of its own: with `true`, or with what is wrong.
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
    /// A sentence for people.
    public var errorDescription: String? {
        switch self {
        case .codeEmpty: "There is no code to compare the file with."
        case .codeMismatch(let code): "The file does not have the code “\(code)”."
        case .fileDoesnotExist(let path): "There is no file at \(path)."
        case .readDataFailed(let path): "\(path) cannot be read."
        }
    }
}

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
