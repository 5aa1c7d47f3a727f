import FerryCore
import FerryRules
import Foundation
import Glibc
import Synchronization

/// Paths of partial files that tasks of this process have claimed and the service has not answered for yet.
///
/// A service refuses a partial file with two names. An app that has not acknowledged a task's completion receives the
/// completion again, which shows the task's partial file, possibly after another task has claimed it.
final class PartialClaims: Sendable {
    private let paths = Mutex<Set<String>>([])

    func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Calls a closure unless a task has claimed the file. No task can claim a file during the call.
    func unlessClaimed(_ path: String, _ body: () -> Void) {
        paths.withLock { if !$0.contains(path) { body() } }
    }
}

/// Partial files under the names that apps know: the name in the resume data, in the folder for temporary files.
///
/// On Apple's systems that file is the partial file. Apps check that it exists before using the data, and some move a
/// copy away and back.
extension LocalFolders {
    /// Gives a partial file a second name in the folder for temporary files, unless it is missing or claimed.
    func show(_ path: String) {
        claims.unlessClaimed(path) {
            guard Self.own(path) != nil else { return }
            let shown = shownPath(of: path)
            if unsafe link(path, shown) == 0 { return }
            // A hard link must be on the same file system.
            unsafe symlink(path, shown)
        }
    }

    /// Claims a partial file for the task that resumes it, and removes its second name until ``settle(_:)``.
    ///
    /// A file that is missing or too short is replaced by the app's copy under the second name.
    /// - Parameter size: The required size in bytes.
    func claim(_ path: String, size: Int64) {
        claims.insert(path)
        let shown = shownPath(of: path)
        guard let found = Self.own(shown) else { return }
        // A file that is too short is an incomplete copy.
        if let kept = Self.own(path), kept.st_size >= size { return hide(path) }
        // Another user may have hard-linked a file of this user here. Its link count is above one.
        guard found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1, found.st_size >= size else { return }
        if unsafe rename(shown, path) == 0 { return }
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.moveItem(atPath: shown, toPath: path)
    }

    /// Ends a claim after the service has answered. A file that the service has not taken is shown again.
    func settle(_ path: String) {
        claims.remove(path)
        show(path)
    }

    private func hide(_ path: String) {
        let shown = shownPath(of: path)
        guard let facts = Self.own(shown) else { return }
        if facts.st_mode & S_IFMT == S_IFREG || facts.st_mode & S_IFMT == S_IFLNK { unsafe unlink(shown) }
    }

    /// Removes the second names of partial files that have not been used before the limit, like the files themselves.
    func sweepShown(changedBefore limit: Date) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? [] {
            guard ReleasedName.isOne(name), let facts = Self.own("\(temporary)/\(name)"),
                Double(facts.st_mtim.tv_sec) < limit.timeIntervalSince1970
            else { continue }
            hide(name)
        }
    }

    private func shownPath(of path: String) -> String { "\(temporary)/\(path.lastPathPart)" }

    /// Returns the facts of the file with this name if it belongs to this user. Does not follow links.
    private static func own(_ path: String) -> stat? {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_uid == geteuid() else { return nil }
        return facts
    }
}
