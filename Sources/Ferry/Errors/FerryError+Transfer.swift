import FerryCore
import FerryURLSession
import Foundation

/// From the daemon's errors to those of the library.
extension FerryError {
    /// An error of a transfer or of the daemon.
    ///
    /// - Parameters:
    ///   - source: where the bytes are, if they cannot come to their place.
    ///   - path: where the file goes, if that is known.
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
        case .internal, .unrecognized: self = .unknown
        case .serverBusy, .notFound, .httpStatus, .authRequired, .proxyAuthRequired, .urlExpired, .redirectRefused:
            self = error.details.httpStatus.map { .unacceptableStatusCode(code: $0) } ?? .transport(Self.cause(error))
        // What is wrong here is not the status, although there may have been one.
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

    /// Any error as one of the library.
    init(any error: any Error) {
        switch error {
        case let error as FerryError: self = error
        case let error as ServiceError: self.init(error)
        case let error as URLError: self = .transport(error)
        default: self = .unknown
        }
    }
}

/// What the daemon says of a failure.
struct DaemonFailure: LocalizedError {
    let message: String

    var errorDescription: String? { message }
}

extension LogType {
    /// Returns the entry with an error whose `localizedDescription` is its sentence; the daemon's errors have none.
    var withSentence: LogType {
        guard case .error(let message, let error as ServiceError) = self else { return self }
        return .error(message, error: DaemonFailure(message: error.message))
    }
}
