import FerryCore
import GRDB
import Logging
import Synchronization

/// Tracks whether the journal has failed, and translates SQLite's errors into Ferry's.
final class JournalHealth: Sendable {
    let file: JournalFile?
    let logger: Logger
    private let first = Mutex<ServiceError?>(nil)

    /// - Parameter file: The journal's file, or `nil` for an in-memory journal.
    init(file: JournalFile?, logger: Logger) {
        self.file = file
        self.logger = logger
    }

    var isInMemory: Bool { file == nil }

    /// The error that made the journal fail. Once set, nothing more is committed: after a failed sync the disk's
    /// content is unknown until the next start reads it.
    var failure: ServiceError? { first.withLock { $0 } }

    private var name: String { file.map { "the journal “\($0.path.escapingControls)”" } ?? "the journal in memory" }

    /// Number of attempts at an access that finds damage.
    ///
    /// SQLite reports one failed read (EIO) as damage (`SQLITE_IOERR_CORRUPTFS` becomes `SQLITE_CORRUPT`). Real damage is
    /// found again.
    static let damageAttempts = 3

    /// Returns the error to report for a failed transaction.
    func writeFailed(_ error: any Error) -> ServiceError {
        let translated = accessFailed(error)
        if translated.code == .journalFailed || translated.code == .internal { fail(translated) }
        return translated
    }

    /// Returns the error to report for a failed access. Damage fails the journal and is remembered for the next start.
    func accessFailed(_ error: any Error) -> ServiceError {
        let translated = translate(error)
        if error.isDamage {
            file?.leaveCheckMarker(logger)
            fail(translated)
        }
        return translated
    }

    /// Returns Ferry's error for an SQLite error.
    func translate(_ error: any Error) -> ServiceError {
        if let error = error as? ServiceError { return error }
        guard let error = error as? DatabaseError else {
            return ServiceError(.internal, "Something unexpected happened to \(name): \(error).")
        }
        switch error.resultCode {
        case .SQLITE_FULL:
            return ServiceError(.diskFull, "The disk is full, so \(name) cannot be written; free some space.")
        case .SQLITE_CONSTRAINT:
            return ServiceError(.internal, "A change does not fit \(name): \(error.message ?? "constraint").")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return ServiceError(
                .journalFailed, "SQLite found \(name) damaged; restart the daemon to check it and set it aside.")
        case _ where error.isPassing:
            let why = error.message ?? "SQLite error"
            return ServiceError(
                .diskIO,
                "\(name) cannot be used at the moment: \(why) (\(error.extendedResultCode.rawValue)).".capitalizedFirst,
                as: .wait)
        default:
            let why = error.message ?? "SQLite error"
            return ServiceError(
                .journalFailed, "SQLite cannot use \(name): \(why) (\(error.extendedResultCode.rawValue)).")
        }
    }

    private func fail(_ error: ServiceError) {
        let isFirst = first.withLock { first in
            defer { first = first ?? error }
            return first == nil
        }
        if isFirst { logger.error("The journal failed; nothing more is committed.", metadata: ["error": "\(error)"]) }
    }
}

extension DatabaseError {
    /// Whether the same transaction may succeed later: nothing of it reached the journal, and the disk's content is
    /// known.
    ///
    /// False after a failed sync, because the disk's content is then unknown.
    fileprivate var isPassing: Bool {
        switch extendedResultCode {
        case .SQLITE_IOERR_WRITE, .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_NOMEM,
            .SQLITE_IOERR_FSTAT,
            .SQLITE_IOERR_ACCESS, .SQLITE_IOERR_LOCK, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE,
            .SQLITE_IOERR_SHMMAP,
            .SQLITE_IOERR_DELETE, .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_CORRUPTFS:
            true
        default: [.SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_BUSY, .SQLITE_LOCKED].contains(resultCode)
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// Log messages that carry an error.
extension Logger {
    /// Logs a message with its underlying error.
    func warning(_ sentence: Logger.Message, error: any Error) {
        warning(sentence, metadata: ["error": "\(error)"])
    }
}
