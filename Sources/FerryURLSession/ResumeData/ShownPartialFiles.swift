import FerryCore
import Foundation
import Glibc
import Synchronization

/// The paths of partial files that tasks of this process have claimed, until the service has answered.
///
/// A service refuses a partial file with two names. An app that has not acknowledged the end of a task receives that end
/// again, which shows the task's partial file: perhaps after another task has claimed it.
final class PartialClaims: Sendable {
    private let paths = Mutex<Set<String>>([])

    func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Calls a function unless a task has claimed the file; no task claims one meanwhile.
    func unlessClaimed(_ path: String, _ body: () -> Void) {
        paths.withLock { if !$0.contains(path) { body() } }
    }
}

/// Partial files as apps know them: by the name in their resume data, in the folder for temporary files.
///
/// On Apple's systems that file is the partial file. Apps look whether it is there before they use the data, and some put a
/// copy away and bring it back.
extension LocalFolders {
    /// Gives a partial file a second name in the folder for temporary files, unless it is gone or a task has claimed it.
    func show(_ path: String) {
        claims.unlessClaimed(path) {
            guard Self.own(path) != nil else { return }
            let shown = shownPath(of: path)
            if unsafe link(path, shown) == 0 { return }
            // A hard link stays on its file system.
            unsafe symlink(path, shown)
        }
    }

    /// Gives a partial file to the task that goes on with it: it has no second name then, until ``settle(_:)``.
    ///
    /// A file that is gone comes back from where the app has put its copy.
    /// - Parameter size: the bytes that it must have.
    func claim(_ path: String, size: Int64) {
        claims.insert(path)
        let shown = shownPath(of: path)
        guard let found = Self.own(shown) else { return }
        // One that is too short is what a copy has left that was cut off.
        if let kept = Self.own(path), kept.st_size >= size { return hide(path) }
        // Another user may have linked a file of this user there: that one has a second name.
        guard found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1, found.st_size >= size else { return }
        if unsafe rename(shown, path) == 0 { return }
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.moveItem(atPath: shown, toPath: path)
    }

    /// Ends a claim once the service has answered: a file that it has not taken is shown again.
    func settle(_ path: String) {
        claims.remove(path)
        show(path)
    }

    private func hide(_ path: String) {
        let shown = shownPath(of: path)
        guard let facts = Self.own(shown) else { return }
        if facts.st_mode & S_IFMT == S_IFREG || facts.st_mode & S_IFMT == S_IFLNK { unsafe unlink(shown) }
    }

    /// Removes names of partial files that no task has used in time, as their files were.
    func sweepShown(changedBefore limit: Date) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? [] {
            guard Self.isPartial(name), let facts = Self.own("\(temporary)/\(name)"),
                Double(facts.st_mtim.tv_sec) < limit.timeIntervalSince1970
            else { continue }
            hide(name)
        }
    }

    private func shownPath(of path: String) -> String { "\(temporary)/\(path.lastPathPart)" }

    /// What has a name, if it is this user's; a link is not followed.
    private static func own(_ path: String) -> stat? {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_uid == geteuid() else { return nil }
        return facts
    }

    /// Whether a name is one that ``keep(_:)`` or the daemon gives.
    private static func isPartial(_ name: String) -> Bool {
        guard name.hasSuffix(".partial") else { return false }
        let stem = name.dropLast(".partial".count)
        return UUID(uuidString: String(stem)) != nil || (stem.utf8.count == 16 && UInt64(stem, radix: 16) != nil)
    }
}
