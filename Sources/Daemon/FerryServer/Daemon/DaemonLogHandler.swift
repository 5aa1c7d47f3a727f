import FerryCore
import Foundation
import Glibc
import Logging
import Synchronization

/// Writes the daemon's log to standard error, one line per message. Rotates it if standard error is the log file and
/// has grown too large. Lines are written soon after their messages, and before the daemon exits.
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
        var line = "\(date(now)) \(level.rawValue): \(message.escapingControls)"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\("\(value)".escapingControls)"
        }
        return line + "\n"
    }

    /// Returns a date as in ISO 8601, in seconds. The system's functions format it, because every message has one.
    private static func date(_ now: Date) -> String {
        var seconds = time_t(now.timeIntervalSince1970.rounded(.down))
        var parts = unsafe tm()
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return "-" }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            guard let start = text.baseAddress else { return "-" }
            let length = unsafe strftime(start, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
            return unsafe length > 0 ? String(cString: start) : "-"
        }
    }
}

/// Standard error, with the path of the log file if it is that file.
///
/// Lines are written together by a thread of its own. So a log whose disk or reader hangs delays no transfer, and
/// thousands of small files cost few writes.
final class LogOutput: Sendable {
    /// Maximum size of the log file in bytes before it is rotated.
    private static let largest: Int64 = 8 << 20

    private let descriptor: CInt
    /// Path of the log file, or `nil` for any other output.
    private let path: String?
    private let largest: Int64
    /// Size of the file in bytes. Only the queue changes it.
    private let size: Atomic<Int64>
    private let pending = Mutex(PendingLines())
    private let queue = DispatchQueue(label: "ferryd.log", qos: .utility)

    /// Lines to write.
    private struct PendingLines {
        /// Maximum size in bytes. Further lines are only counted.
        static let capacity = 1 << 20

        var text: [UInt8] = []
        var dropped = 0
        var isPlanned = false

        mutating func add(_ line: String) {
            if text.count + line.utf8.count <= Self.capacity { text += line.utf8 } else { dropped += 1 }
        }

        /// Counts lines that could not be written.
        mutating func lost(_ count: Int) { dropped += count }

        /// Removes and returns the lines, and how many were dropped.
        mutating func take() -> [UInt8] {
            if dropped > 0 { text += "(\(dropped) lines are missing here: the log could not be written.)\n".utf8 }
            defer { self = PendingLines() }
            return text
        }
    }

    /// Time between a line and its writing, in seconds.
    private static let delay = 0.05
    /// Maximum time to wait for the last lines, in seconds.
    private static let patience = 1.0

    /// - Parameter path: Path of the log, used if the descriptor refers to that file.
    init(descriptor: CInt, path: String, largest: Int64 = LogOutput.largest) {
        self.descriptor = descriptor
        self.largest = largest
        let size = Self.size(of: descriptor, ifAt: path)
        self.path = size == nil ? nil : path
        self.size = Atomic(size ?? 0)
    }

    /// Adds a line. Returns at once.
    func append(_ line: String) {
        let isFirst = pending.withLock { pending in
            pending.add(line)
            defer { pending.isPlanned = true }
            return !pending.isPlanned
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.delay) { self.writePending() } }
    }

    /// Writes all lines added before, unless that takes too long.
    func flush() {
        let isDone = DispatchSemaphore(value: 0)
        queue.async {
            self.writePending()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + Self.patience)
    }

    /// Writes the pending lines in one call.
    private func writePending() {
        let text = pending.withLock { $0.take() }
        guard !text.isEmpty else { return }
        let count = write(text)
        // The next line says how many are missing.
        if count < text.count { pending.withLock { $0.lost(text[count...].count { $0 == UInt8(ascii: "\n") }) } }
        guard let path, count > 0 else { return }
        let total = size.wrappingAdd(Int64(count), ordering: .relaxed).newValue
        if total >= largest, rotate(path) { size.store(0, ordering: .relaxed) }
    }

    /// Returns the number of bytes written, which is smaller if the disk is full, for example.
    private func write(_ text: [UInt8]) -> Int {
        var done = 0
        while done < text.count {
            let count = unsafe text[done...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return done
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
