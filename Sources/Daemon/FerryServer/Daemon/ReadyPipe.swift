package import FerryCore
import Foundation
import Synchronization

/// The pipe on which the process that started the daemon waits for one line: `ready`, or `error CODE SENTENCE`.
///
/// `FERRY_READY_FD` names its descriptor. Without the variable nothing is written. Only the first line is sent.
package final class ReadyPipe: Sendable {
    private let descriptor: Mutex<Int32?>

    package init(environment: [String: String]) {
        let named = environment["FERRY_READY_FD"].flatMap { Int32($0) } ?? -1
        // The standard streams are not this pipe. The number of a closed descriptor would refer to the next opened
        // file.
        guard named > 2, fcntl(named, F_GETFD) >= 0 else {
            descriptor = Mutex(nil)
            return
        }
        _ = fcntl(named, F_SETFD, FD_CLOEXEC)
        descriptor = Mutex(named)
    }

    package func ready() { write("ready\n") }

    package func failed(_ error: ServiceError) { write("error \(error.word) \(error.message.escapingControls)\n") }

    private func write(_ line: String) {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            let bytes = Array(line.utf8)
            _ = unsafe Foundation.write(open, bytes, bytes.count)
            close(open)
            descriptor = nil
        }
    }
}

/// Why a daemon failed to start, or ended without a request to do so.
package struct DaemonFailure: Error {
    package let error: ServiceError
    package let exitStatus: Int32

    /// Exit status of a daemon that finds another one running (`EX_TEMPFAIL` of sysexits.h). This is not a fault: a
    /// client can use the other daemon.
    package static let runsAlready: Int32 = 75

    package init(_ error: ServiceError, exitStatus: Int32? = nil) {
        self.error = error
        self.exitStatus = exitStatus ?? error.code.row.exitStatus
    }

    /// Uses the code of a known error, and `internal` for any other.
    package init(cause: any Error) {
        switch cause {
        case let failure as DaemonFailure: self = failure
        case let error as ServiceError: self.init(error)
        default: self.init(ServiceError(.internal, "ferryd failed: \("\(cause)".escapingControls)."))
        }
    }
}

extension ServiceError {
    /// Returns the error for a failed system call during the daemon's start. Reads `errno`.
    static func start(_ what: String) -> ServiceError {
        let number = errno
        return ServiceError(
            .daemonUnreachable, "\(what): \(unsafe String(cString: strerror(number))).",
            details: ErrorDetails(errno: number))
    }
}
