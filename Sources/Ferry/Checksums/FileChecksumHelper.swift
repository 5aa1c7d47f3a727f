// Ferry: Ferry
// Whether a file has a code.

import Dispatch
public import Foundation

public typealias FileVerificationType = FileChecksumHelper.VerificationType
public typealias FileVerificationError = FileChecksumHelper.FileVerificationError

/// Compares files with codes, whoever has downloaded them.
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
