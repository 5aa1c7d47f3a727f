// Ferry: FerryURLSession
// Errors beyond URLError.

import FerryCore
public import Foundation

/// What went wrong where Foundation's `URLError` has no word for it; the codes are those of Ferry's error table.
public struct TransferError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// `FerryErrorDomain`.
    public static let errorDomain = "FerryErrorDomain"

    private let error: FerryCore.TransferError

    init(_ error: FerryCore.TransferError) { self.error = error }

    /// The stable word for what went wrong, such as `digest_mismatch`.
    public var code: String { error.word }
    /// What happened, to what, and what to try, for people.
    public var message: String { error.message }

    /// The exit status that `ferry` has for this error.
    public var errorCode: Int { Int(error.code.row.exitStatus) }
    public var errorDescription: String? { error.message }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: error.message, "code": error.word] }
}

extension TransferError: CustomStringConvertible {
    public var description: String { error.description }
}
