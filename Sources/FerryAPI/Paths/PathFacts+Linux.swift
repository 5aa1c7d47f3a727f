package import FerryCore
import Foundation

extension PathFacts {
    /// What is at a path; nil with `errno` if nothing can be seen there.
    package init?(at path: String) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return nil }
        let kind: Kind =
            switch found.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFSOCK: .socket
            default: .other
            }
        self.init(
            path: path, kind: kind, owner: found.st_uid, mode: found.st_mode & 0o7777,
            // Asked only where it matters: names may come over a network.
            isGroupPrivate: found.st_mode & 0o020 != 0 && PrivateGroup.isPrivate(found.st_gid, of: found.st_uid),
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    }
}

/// The folders and links that a path leads through, from the root to what stands at its end.
///
/// Links on the way are followed, and their targets are parts of the way too; a link at the end is itself.
package struct PathWay {
    package private(set) var parts: [PathFacts] = []
    /// Why what comes after the parts cannot be seen; 0 if all of the path is there.
    package private(set) var errorNumber: Int32 = 0

    /// As many links as the kernel follows (path_resolution(7)).
    private static let mostLinks = 40

    /// - Parameter path: An absolute path.
    package init(to path: String) {
        var names = Self.names(path)
        var place: [String] = []
        var links = 0
        guard take("/") != nil else { return }
        while let name = names.popLast() {
            if name == ".." {
                _ = place.popLast()
                continue
            }
            guard let part = take("/" + (place + [name]).joined(separator: "/")) else { return }
            guard part.kind == .link, !names.isEmpty else {
                place.append(name)
                continue
            }
            links += 1
            guard links <= Self.mostLinks,
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: part.path)
            else {
                errorNumber = ELOOP
                return
            }
            if target.hasPrefix("/") { place = [] }
            names += Self.names(target)
        }
    }

    private mutating func take(_ path: String) -> PathFacts? {
        guard let part = PathFacts(at: path) else {
            errorNumber = errno
            return nil
        }
        parts.append(part)
        return part
    }

    /// The names of a path, the last first.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }
}
