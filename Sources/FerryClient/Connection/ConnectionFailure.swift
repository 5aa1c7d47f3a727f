// Ferry: FerryClient
// Why an exchange with the daemon came to nothing.

import FerryCore

/// Why an exchange with the daemon came to nothing; decides whether it may be tried again.
enum ConnectionFailure: Error {
    /// Nobody listens at the socket: nothing was sent.
    case nobodyListens(String)
    /// The connection broke after the request may have been read.
    case lost(String)
    /// The daemon answered with an error, or what it sent makes no sense.
    case answered(TransferError)
    case canceled

    var error: TransferError {
        switch self {
        case .nobodyListens(let cause): TransferError(.daemonUnreachable, "No daemon answers: \(cause).")
        case .lost(let cause):
            TransferError(.daemonUnreachable, "The daemon went away before it had answered: \(cause).")
        case .answered(let error): error
        case .canceled: TransferError(.canceled, "The call was canceled by its caller.")
        }
    }
}
