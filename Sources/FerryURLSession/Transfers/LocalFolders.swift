import Foundation
import Glibc

/// Folders for the files of downloads that run in apps of this user: one for each process, and one for partial files that
/// resume data name.
struct LocalFolders: Sendable {
    /// Seconds for which a partial file waits for its resume data to be used.
    private static let partialAge = 7.0 * 86_400

    /// The system's folder of temporary files.
    let temporary: String
    private let base: String
    /// This process's own.
    let own: String
    /// Partial files that resume data name, of all processes.
    let partials: String
    /// Partial files that a task is about to go on with.
    let claims = PartialClaims()

    /// - Parameter temporary: the folder of the system's temporary files.
    init(temporary: String = NSTemporaryDirectory()) {
        let folder = temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary
        self.temporary = folder
        base = "\(folder)/ferry-\(geteuid())"
        own = "\(base)/\(Self.name(of: getpid()) ?? "\(getpid())")"
        partials = base + "/partial"
    }

    /// Makes the folders; other users have no access to them.
    ///
    /// - Throws: `URLError.cannotCreateFile` if a path is not a folder that belongs to this user alone.
    func open() throws {
        for path in [base, own, partials] {
            _ = unsafe mkdir(path, 0o700)
            var facts = stat()
            guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(),
                facts.st_mode & 0o077 == 0
            else { throw URLError(.cannotCreateFile) }
        }
    }

    /// Removes the files of processes that have ended, and partial files that no task has used
    /// (docs/behaviour/url-session.md#53).
    func sweep(now: Date = Date()) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: base)) ?? [] where name != "partial" {
            guard let pid = name.split(separator: "-").first.flatMap({ pid_t($0) }), Self.name(of: pid) != name,
                "\(base)/\(name)" != own
            else { continue }
            try? files.removeItem(atPath: "\(base)/\(name)")
        }
        for name in (try? files.contentsOfDirectory(atPath: partials)) ?? [] {
            let path = "\(partials)/\(name)"
            let changed = try? files.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if let changed, now.timeIntervalSince(changed) > Self.partialAge { try? files.removeItem(atPath: path) }
        }
        sweepShown(changedBefore: now - Self.partialAge)
    }

    /// Moves a partial file to where it outlives this process.
    ///
    /// - Returns: its new path.
    func keep(_ path: String) throws -> String {
        let kept = "\(partials)/\(UUID().uuidString).partial"
        guard unsafe rename(path, kept) == 0 else { throw URLError(.cannotMoveFile) }
        // The file's age counts from the moment at which resume data name it.
        unsafe utimensat(AT_FDCWD, kept, nil, 0)
        return kept
    }

    /// The name of a process's folder: its number and when it was started, since numbers come again.
    private static func name(of pid: pid_t) -> String? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        // The program's name is in parentheses and may hold anything (proc(5)).
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? "\(pid)-\(fields[19])" : nil
    }
}
