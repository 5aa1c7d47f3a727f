import FerryCore
import Foundation

/// Holds the lock of a state folder during its lifetime. The kernel releases the lock when the process ends, however it
/// ends.
///
/// The file is never removed: otherwise two daemons could lock two files of the same name. It contains the process id,
/// which clients include in an error.
package struct DaemonLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: ``DaemonFailure`` with status 75, naming the other daemon if one runs.
    package init(path: String) throws(DaemonFailure) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DaemonFailure(.start("The lock \(path) cannot be opened")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let taken = errno == EWOULDBLOCK
            let failure: DaemonFailure =
                taken ? .runsAlready(as: Self.holder(descriptor)) : DaemonFailure(.start("\(path) cannot be locked"))
            close(descriptor)
            throw failure
        }
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, text, text.count, 0)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func holder(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension DaemonFailure {
    fileprivate static func runsAlready(as process: String?) -> DaemonFailure {
        let name = process.map { " as process \($0)" } ?? ""
        return DaemonFailure(
            ServiceError(.daemonUnreachable, "ferryd is already running\(name)."), exitStatus: runsAlready)
    }
}
