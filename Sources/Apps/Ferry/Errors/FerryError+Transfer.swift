import FerryCore
import FerryURLSession
import Foundation

/// Conversion of the daemon's errors.
extension FerryError {
    /// Converts an error of a transfer or the daemon.
    ///
    /// - Parameters:
    ///   - source: The file's location, if it could not be moved.
    ///   - path: The destination, if known.
    init(_ error: ServiceError, from source: String = "", to path: String = "") {
        switch error.code {
        case .digestMismatch:
            self = .checksumMismatch(
                expected: error.details.expected?.hex ?? "", actual: error.details.actual?.hex ?? "")
        case .diskFull, .fileTooLarge:
            self = .insufficientDiskSpace(
                required: error.details.required ?? 0, available: error.details.available ?? 0)
        case .destinationExists: self = .fileConflict(path: path)
        case .destinationUnwritable, .placementFailed, .diskIO, .partialLost:
            self = .cacheError(
                reason: .cannotMoveItem(atPath: source, toPath: path, error: DaemonFailure(message: error.message)))
        case .deadlineExceeded: self = .resourceTimeout
        case .invalidURL, .unsupportedScheme: self = .invalidURL(url: error.details.url ?? "")
        case .daemonUnreachable: self = .daemonUnavailable(message: error.message)
        case .journalFailed: self = .recordStoreFailed(message: error.message)
        case .sessionInUse: self = .sessionInUse(identifier: "")
        case .unknownTransfer: self = .fetchDownloadTaskFailed(url: error.details.url ?? "")
        case .canceled: self = .canceled
        case .invalidRequest, .requestNotReplaceable: self = .invalidRequest(message: error.message)
        // Those of a fleet are not errors of an app's downloads.
        case .internal, .unrecognized, .queueUnreachable, .queueUnsuitable, .workerInUse, .workerLost: self = .unknown
        case .serverBusy, .notFound, .httpStatus, .authRequired, .proxyAuthRequired, .urlExpired, .redirectRefused:
            self = error.details.httpStatus.map { .unacceptableStatusCode(code: $0) } ?? .transport(Self.cause(error))
        // The status, if any, is not the cause of these.
        case .offline, .dnsFailed, .hostNotFound, .connectFailed, .connectionLost, .timedOut, .tooSlow, .proxyFailed,
            .tlsFailed, .tlsCertificate, .badResponse, .rangeMismatch, .resourceChanged, .budgetExceeded,
            .tooManyRedirects, .tooLarge, .lengthMismatch, .fileChanged, .uploadConflict:
            self = .transport(Self.cause(error))
        }
    }

    private static func cause(_ error: ServiceError) -> URLError {
        URLErrorMapping.error(error, url: error.details.url.flatMap { URL(string: $0) }) as? URLError
            ?? URLError(.unknown)
    }

    /// Converts any error.
    init(any error: any Error) {
        switch error {
        case let error as FerryError: self = error
        case let error as ServiceError: self.init(error)
        case let error as URLError: self = .transport(error)
        default: self = .unknown
        }
    }
}

/// A failure described by the daemon.
struct DaemonFailure: LocalizedError {
    let message: String

    var errorDescription: String? { message }
}

extension LogType {
    /// The entry with an error whose `localizedDescription` is its message. The daemon's errors have none.
    var withSentence: LogType {
        guard case .error(let message, let error as ServiceError) = self else { return self }
        return .error(message, error: DaemonFailure(message: error.message))
    }
}
