import FerryCore
import Foundation
import Logging
import Synchronization

/// Writes the daemon's log to standard error, one line per message. Rotates it if standard error is the log file and
/// has grown too large.
///
/// A service manager with its own log gives the daemon a socket or a pipe, and does its own rotation.
struct DaemonLogHandler: LogHandler {
    let output: LogOutput
    var logLevel = Logger.Level.notice
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        output.append(Self.line(event.level, event.message.description, all, at: Date()))
    }

    /// Returns a line: date, level, message and metadata.
    static func line(
        _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata, at now: Date
    ) -> String {
        var line = "\(now.formatted(.iso8601)) \(level.rawValue): \(message.escapingControls)"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\("\(value)".escapingControls)"
        }
        return line + "\n"
    }
}

/// Standard error, with the path of the log file if it is that file.
final class LogOutput: Sendable {
    /// Maximum size of the log file in bytes before it is rotated.
    private static let largest: Int64 = 8 << 20

    private let descriptor: CInt
    /// Path of the log file, or `nil` for any other output.
    private let path: String?
    private let largest: Int64
    /// Size of the file in bytes.
    private let size: Atomic<Int64>
    private let isRotating = Atomic(false)

    /// - Parameter path: Path of the log, used if the descriptor refers to that file.
    init(descriptor: CInt, path: String, largest: Int64 = LogOutput.largest) {
        self.descriptor = descriptor
        self.largest = largest
        let size = Self.size(of: descriptor, ifAt: path)
        self.path = size == nil ? nil : path
        self.size = Atomic(size ?? 0)
    }

    /// Writes a line in one call. Takes no lock: a hung disk or reader blocks only this caller.
    func append(_ line: String) {
        var line = line
        let count = line.withUTF8 { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard let path, count > 0 else { return }
        let total = size.wrappingAdd(Int64(count), ordering: .relaxed).newValue
        guard total >= largest, !isRotating.exchange(true, ordering: .acquiring) else { return }
        // Another caller may have rotated the file in the meantime.
        if size.load(ordering: .relaxed) >= largest, rotate(path) { size.store(0, ordering: .relaxed) }
        isRotating.store(false, ordering: .releasing)
    }

    /// Renames the file to `….1`, replacing the previous one, and continues with a new file.
    private func rotate(_ path: String) -> Bool {
        // An earlier attempt may already have renamed the file.
        guard unsafe rename(path, path + ".1") == 0 || errno == ENOENT else { return false }
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_EXCL
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return dup2(file, descriptor) >= 0
    }

    /// Returns the size of a descriptor's file, or `nil` if it is not the file at the path.
    private static func size(of descriptor: CInt, ifAt path: String) -> Int64? {
        var (own, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe lstat(path, &named) == 0, own.st_mode & S_IFMT == S_IFREG,
            own.st_dev == named.st_dev, own.st_ino == named.st_ino
        else { return nil }
        return Int64(own.st_size)
    }
}
