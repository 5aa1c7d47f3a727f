// Ferry: FerryEngine
// A system call on a file that failed.

package import FerryCore
import Foundation

/// A system call on a file that failed.
package struct DiskError: Error, Hashable, Sendable {
    /// What was being done, as the start of a sentence: "writing", "syncing".
    package let operation: String
    package let path: String
    package let errno: Int32
    /// What people can do about it, as a sentence.
    package let advice: String?

    package init(_ operation: String, _ path: String, errno: Int32, advice: String? = nil) {
        self.advice = advice
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// Whether there is no room, by space or by quota.
    package var isFull: Bool { errno == ENOSPC || errno == EDQUOT }

    /// The error of the table, where the path is the partial file or its folder.
    package var transferError: TransferError {
        let reason = unsafe String(cString: strerror(errno))
        let failure = "\(operation) \(path.escapingControls) failed: \(reason)."
        let sentence = advice.map { "\(failure) \($0)" } ?? failure
        let details = ErrorDetails(errno: errno)
        return switch errno {
        case ENOSPC, EDQUOT: TransferError(.diskFull, sentence, details: details)
        case EFBIG: TransferError(.fileTooLarge, sentence, details: details)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG:
            TransferError(.destinationUnwritable, sentence, details: details)
        default: TransferError(.diskIO, sentence, details: details)
        }
    }
}
