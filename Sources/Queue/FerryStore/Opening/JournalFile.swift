import FerryCore
import Foundation
import Logging

/// The journal's file and the files that SQLite and Ferry keep beside it.
struct JournalFile: Sendable {
    let path: String

    /// Journals below this size, in bytes, are fully checked at each start. The check costs less than the transfers it
    /// may save.
    static let alwaysCheckedBelow: Int64 = 64 << 20

    private var markerPath: String { path + ".check" }

    /// Path of the marker file that exists while the journal is being created.
    private var beginningPath: String { path + ".begun" }

    /// Returns the size in bytes, or `nil` if there is no file.
    ///
    /// - Throws: `journal_failed` if the path is not a regular file, or cannot be looked at: a file that exists must not
    ///   count as missing. Links are not followed, so that another user with write access to the folder cannot redirect
    ///   Ferry's writes.
    func size() throws(ServiceError) -> Int64? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            let reason = unsafe String(cString: strerror(errno))
            throw ServiceError(.journalFailed, "The journal “\(path.escapingControls)” cannot be read: \(reason).")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ServiceError(
                .journalFailed,
                "“\(path.escapingControls)” is not a regular file and therefore not a journal; move it away.")
        }
        return Int64(status.st_size)
    }

    /// Whether the file's header identifies a database with tables that is not Ferry's.
    func isForeign() throws -> Bool {
        guard let handle = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? handle.close() }
        let head = try handle.read(upToCount: 100) ?? Data()
        func number(at offset: Int) -> UInt32 { head[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        guard head.count == 100, head.starts(with: Data("SQLite format 3\u{0}".utf8)) else { return false }
        // Page count and application id (https://sqlite.org/fileformat2.html#the_database_header).
        return number(at: 28) > 1 && Int64(number(at: 68)) != JournalSchema.applicationID
    }

    /// Creates the file if it is missing, and restricts it to the user (mode 0600).
    ///
    /// SQLite creates its companion files with the same mode.
    func prepare() throws(ServiceError) {
        do {
            if try size() == nil {
                guard
                    FileManager.default.createFile(
                        atPath: beginningPath, contents: nil, attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
                let isMade = FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
                guard isMade else { throw CocoaError(.fileWriteUnknown) }
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(
                .journalFailed,
                "The journal “\(path.escapingControls)” cannot be created; check its folder and the free space.")
        }
    }

    /// Whether a daemon ended while it was creating the journal.
    var isBeingMade: Bool { FileManager.default.fileExists(atPath: beginningPath) }

    /// Records that the journal has its tables.
    func isMade() { try? FileManager.default.removeItem(atPath: beginningPath) }

    // MARK: Check marker

    var hasCheckMarker: Bool { FileManager.default.fileExists(atPath: markerPath) }

    func leaveCheckMarker(_ logger: Logger) {
        let isMade = FileManager.default.createFile(
            atPath: markerPath, contents: nil, attributes: [.posixPermissions: 0o600])
        if !isMade { logger.warning("The marker that asks for a check of the journal could not be made.") }
    }

    func removeCheckMarker() { try? FileManager.default.removeItem(atPath: markerPath) }

    // MARK: Setting aside

    /// Renames the journal and SQLite's companion files. Deletes nothing.
    ///
    /// - Returns: The new path of the journal. The log and the index keep their suffixes after it, so that SQLite's own
    ///   tools find them together.
    func setAside(at now: Date) throws(ServiceError) -> String {
        let stamp = now.formatted(
            Date.VerbatimFormatStyle(
                format: """
                    \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)T\
                    \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\
                    \(second: .twoDigits)Z
                    """,
                timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
        let first = "\(path).damaged-\(stamp)"
        var target = first
        var attempt = 1
        while ["", "-wal", "-shm"].contains(where: { FileManager.default.fileExists(atPath: target + $0) }) {
            target = "\(first)-\(attempt)"
            attempt += 1
        }
        do {
            // The journal last: a crash in between leaves a journal that the next start sets aside.
            for suffix in ["-shm", "-wal", ""] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
            }
        } catch {
            throw ServiceError(
                .journalFailed,
                "The journal “\(path.escapingControls)” is damaged and cannot be renamed; move it away by hand.")
        }
        removeCheckMarker()
        return target
    }
}
