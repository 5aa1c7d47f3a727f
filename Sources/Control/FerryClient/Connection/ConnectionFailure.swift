import FerryAPI
import FerryCore

/// Why an exchange with the daemon failed. Determines whether it may be retried.
enum ConnectionFailure: Error {
    /// No daemon listens on the socket. Nothing was sent.
    case noListener(String)
    /// Another user could respond. Nothing was sent.
    case refused(ServiceError)
    /// The connection was lost before the whole request was read. The daemon has done nothing.
    case unread(String)
    /// The connection was lost after the request may have been read.
    case lost(String)
    /// The daemon received the request and does not respond, not even to a liveness check.
    case silent(ServiceError)
    /// The daemon responded with an error, or its response is invalid.
    case answered(ServiceError)
    case canceled

    var error: ServiceError {
        switch self {
        case .noListener(let cause): ServiceError(.daemonUnreachable, "No daemon answers: \(cause).")
        case .unread(let cause), .lost(let cause):
            ServiceError(.daemonUnreachable, "The daemon ended before it replied: \(cause).")
        case .refused(let error), .silent(let error), .answered(let error): error
        case .canceled: ServiceError(.canceled, "The call was canceled by its caller.")
        }
    }
}

extension ServiceError {
    /// Returns the error for a running but unresponsive daemon.
    ///
    /// - Parameter process: The daemon's process id, 0 if unknown.
    static func silence(of daemon: String, process: Int32, for time: Duration) -> ServiceError {
        let end = process > 0 ? ", or end it with `kill -9 \(process)` and try again" : ""
        return ServiceError(
            .daemonUnreachable,
            "The \(daemon) has not responded for \(time.components.seconds) s. It is stopped, or the machine is too busy "
                + "for it: try again later\(end). Transfers keep their bytes.")
    }

    /// Returns the error for a daemon that speaks another version of the control API.
    ///
    /// - Parameter name: The daemon's name in its response: `ferryd/VERSION`, or only its version.
    static func otherDaemon(_ name: String?, speaking api: Int) -> ServiceError {
        let version = name?.split(separator: "/").last.map { "is version \(String($0).escapingControls) and " } ?? ""
        return ServiceError(
            .daemonUnreachable,
            "The daemon that runs \(version)speaks API \(api); this is version \(FerryVersion.current) and speaks API "
                + "\(APIVersion.current). Stop it with its own `ferry daemon stop`, then try again.")
    }
}
