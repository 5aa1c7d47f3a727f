// Ferry: FerryServer
// Why a daemon did not start, or ended.

package import FerryCore

/// Why a daemon did not start, or ended before it was asked to.
package struct DaemonFailure: Error {
    package let error: TransferError
    package let exitStatus: Int32

    /// Status of a daemon that finds another one running (`EX_TEMPFAIL` of sysexits.h): nothing is wrong, and a client
    /// can use the other one.
    package static let runsAlready: Int32 = 75

    package init(_ error: TransferError, exitStatus: Int32? = nil) {
        self.error = error
        self.exitStatus = exitStatus ?? error.code.row.exitStatus
    }

    /// Takes the code of a known error, and `internal` for any other.
    package init(cause: any Error) {
        switch cause {
        case let failure as DaemonFailure: self = failure
        case let error as TransferError: self.init(error)
        default: self.init(TransferError(.internal, "ferryd failed: \("\(cause)".escapingControls)."))
        }
    }
}
