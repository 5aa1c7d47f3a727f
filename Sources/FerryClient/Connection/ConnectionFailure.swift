import FerryAPI
import FerryCore

/// Why an exchange with the daemon came to nothing; decides whether it may be tried again.
enum ConnectionFailure: Error {
    /// No daemon listens at the socket: nothing was sent.
    case noListener(String)
    /// Another user could answer: nothing was sent.
    case refused(ServiceError)
    /// The connection broke before all of the request was read: the daemon has done nothing.
    case unread(String)
    /// The connection broke after the request may have been read.
    case lost(String)
    /// The daemon has the request and answers nothing, not even whether it lives.
    case silent(ServiceError)
    /// The daemon answered with an error, or what it sent makes no sense.
    case answered(ServiceError)
    case canceled

    var error: ServiceError {
        switch self {
        case .noListener(let cause): ServiceError(.daemonUnreachable, "No daemon answers: \(cause).")
        case .unread(let cause), .lost(let cause):
            ServiceError(.daemonUnreachable, "The daemon went away before it had answered: \(cause).")
        case .refused(let error), .silent(let error), .answered(let error): error
        case .canceled: ServiceError(.canceled, "The call was canceled by its caller.")
        }
    }
}

extension ServiceError {
    /// The daemon's process is there and says nothing.
    ///
    /// - Parameter process: Its number; 0 if that is not known.
    static func silence(of daemon: String, process: Int32, for time: Duration) -> ServiceError {
        let end = process > 0 ? ", or end it with `kill -9 \(process)` and try again" : ""
        return ServiceError(
            .daemonUnreachable,
            "The \(daemon) has answered nothing for \(time.components.seconds) s. It is stopped, or the machine is too busy "
                + "for it: try again later\(end). Transfers keep their bytes.")
    }

    /// The daemon speaks another version of the control API.
    ///
    /// - Parameter name: What the daemon calls itself, `ferryd/VERSION` or its version alone.
    static func otherDaemon(_ name: String?, speaking api: Int) -> ServiceError {
        let version = name?.split(separator: "/").last.map { "is version \(String($0).escapingControls) and " } ?? ""
        return ServiceError(
            .daemonUnreachable,
            "The daemon that runs \(version)speaks API \(api); this is version \(FerryVersion.current) and speaks API "
                + "\(APIVersion.current). Stop it with its own `ferry daemon stop`, then try again.")
    }
}
