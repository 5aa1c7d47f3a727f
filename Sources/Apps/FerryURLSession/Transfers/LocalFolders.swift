import FerryCore
import FerryRules
import Foundation
import Glibc

/// The folders for files of downloads that run in this user's apps: one per process, and one for partial files that
/// resume data refers to.
struct LocalFolders: Sendable {
    /// Maximum age of an unused partial file, in seconds.
    private static let partialAge = 7.0 * 86_400

    /// The system's folder of temporary files.
    let temporary: String
    private let base: String
    /// This process's own folder.
    let own: String
    /// The folder of all processes for partial files that resume data refers to.
    let partials: String
    /// Partial files that a task is about to resume from.
    let claims = PartialClaims()

    /// - Parameter temporary: The system's folder for temporary files.
    init(temporary: String = NSTemporaryDirectory()) {
        let folder = temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary
        self.temporary = folder
        base = "\(folder)/ferry-\(geteuid())"
        own = "\(base)/\(Self.name(of: getpid()) ?? "\(getpid())")"
        partials = base + "/partial"
    }

    /// Creates the folders, without access for other users.
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

    /// Creates the folders, and returns whether they belong to this user alone.
    func areOpen() -> Bool { (try? open()) != nil }

    /// Removes the files of processes that have exited, and partial files that were not used
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

    /// Moves a partial file to the folder where it outlives this process.
    ///
    /// - Returns: The new path.
    func keep(_ path: String) throws -> String {
        let kept = "\(partials)/\(ReleasedName.unique())"
        guard unsafe rename(path, kept) == 0 else { throw URLError(.cannotMoveFile) }
        // The file's age counts from the creation of the resume data.
        unsafe utimensat(AT_FDCWD, kept, nil, 0)
        return kept
    }

    /// Returns the name of a process's folder: the process ID and the start time, since IDs are reused.
    private static func name(of pid: pid_t) -> String? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
        // The program's name is in parentheses and may contain any character (proc(5)).
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? "\(pid)-\(fields[19])" : nil
    }
}
