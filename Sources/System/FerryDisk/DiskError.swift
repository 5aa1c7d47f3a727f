package import FerryCore
import FerryFoundation

/// A failed system call on a file.
package struct DiskError: Error, Hashable, Sendable {
    /// The operation as the start of a sentence: "writing", "syncing".
    package let operation: String
    package let path: String
    package let errno: Int32
    /// A sentence with advice for the user.
    package let advice: String?

    package init(_ operation: String, _ path: String, errno: Int32, advice: String? = nil) {
        self.advice = advice
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// Whether the file system does not offer the operation, rather than failed in it.
    package var isRefusal: Bool { FerryFoundation.isRefusal(errno) }

    /// The service error, if the path is the partial file or its folder.
    package var transferError: ServiceError {
        let reason = unsafe String(cString: strerror(errno))
        let failure = "\(operation) \(path.escapingControls) failed: \(reason)."
        let sentence = advice.map { "\(failure) \($0)" } ?? failure
        let details = ErrorDetails(errno: errno)
        return switch errno {
        case ENOSPC, EDQUOT: ServiceError(.diskFull, sentence, details: details)
        case EFBIG: ServiceError(.fileTooLarge, sentence, details: details)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG:
            ServiceError(.destinationUnwritable, sentence, details: details)
        default: ServiceError(.diskIO, sentence, details: details)
        }
    }
}
