// Ferry: FerryServer
// System calls that failed.

import FerryCore
import Foundation

extension TransferError {
    /// What the system said about a call that the daemon's start needs, with `errno` as it is.
    static func start(_ what: String) -> TransferError {
        let number = errno
        return TransferError(
            .daemonUnreachable, "\(what): \(unsafe String(cString: strerror(number))).",
            details: ErrorDetails(errno: number))
    }
}
