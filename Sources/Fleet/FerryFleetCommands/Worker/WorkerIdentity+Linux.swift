import ArgumentParser
import FerryAPI
import FerryCore
import FerryFoundation
import FerrySystem
import Glibc

/// The identity of this machine's worker. Holds a lock while the worker runs.
///
/// Files of a copied state folder have other inode numbers or are on another file system, so that two workers with one
/// name are told apart on one machine too, such as two containers of an image with a baked home.
final class WorkerIdentity: Sendable {
    /// Differs between machines, boots and state folders.
    let text: String
    private let lock: Int32

    /// The given name, or the host's.
    ///
    /// - Throws: `ValidationError` for a name that is no word.
    static func name(_ given: String?) throws -> String {
        let name = given ?? ProcessInfo.processInfo.hostName
        guard !name.isEmpty, name.utf8.count <= 100, !name.hasControls, !name.contains("/"), !name.contains(":") else {
            throw ValidationError("“\(name.escapingControls)” is not a worker's name: 1 to 100 bytes without / and :.")
        }
        return name
    }

    /// - Throws: ``ServiceError`` with code `worker_in_use` if the worker runs already on this machine.
    init(name: String, folder: String) throws {
        try PrivateFolder.make(folder)
        let path = "\(folder)/fleet-\(name)"
        lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceError(
                .workerInUse,
                "The worker “\(name.escapingControls)” runs already on this machine. Give another one --worker.")
        }
        let known = try FirstLine.read(path + ".id")
        let instance = known ?? UUID().uuidString
        if known == nil {
            try Data((instance + "\n").utf8).write(to: URL(fileURLWithPath: path + ".id"), options: .atomic)
        }
        func first(_ path: String) -> String {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return String(text.prefix { !$0.isNewline })
        }
        var facts = stat()
        guard unsafe fstat(lock, &facts) == 0 else {
            throw ServiceError(.destinationUnwritable, "“\(path.escapingControls).lock” cannot be read.")
        }
        let file = "\(facts.st_dev):\(facts.st_ino)"
        text = [first("/etc/machine-id"), first("/proc/sys/kernel/random/boot_id"), instance, file].joined(
            separator: "/")
    }

    deinit { close(lock) }
}
