package import FerryCore
import FerryFoundation

extension PathFacts {
    /// Reads the facts of a path. Returns `nil` with `errno` set if it cannot be read.
    package init?(at path: String) {
        var found = stat()
        guard path.withPath({ unsafe lstat($0, &found) }) == 0 else { return nil }
        let kind: Kind =
            switch found.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFSOCK: .socket
            default: .other
            }
        self.init(
            path: path, kind: kind, owner: found.st_uid, mode: found.st_mode & 0o7777,
            // Looked up only if the mode requires it: group names may come over a network.
            isGroupPrivate: found.st_mode & 0o022 == 0o020 && PrivateGroup.isPrivate(found.st_gid, of: found.st_uid),
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino))
    }
}

/// The folders and links that a path traverses, from the root to its last component.
///
/// Links on the way are followed, and the components of their targets are included. A link at the end is not followed.
package struct PathWay {
    package private(set) var parts: [PathFacts] = []
    /// The error at the component after `parts`, or 0 if the whole path exists.
    package private(set) var errorNumber: Int32 = 0

    /// The kernel's limit of followed links (path_resolution(7)).
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

    /// Returns the components of a path, the last first.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }
}

extension UserNamespace {
    /// The namespace of this process, read once. The map is written before a program starts in its namespace.
    ///
    /// Unknown without /proc.
    package static let own: UserNamespace = {
        guard let map = text("/proc/self/uid_map"), let overflow = text("/proc/sys/kernel/overflowuid") else {
            return UserNamespace()
        }
        return UserNamespace(map: map, overflow: overflow)
    }()

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Detects user private groups. A folder of mode 775 with such a group is writable by its owner only.
enum PrivateGroup {
    // The name and members of such a group take a few bytes.
    private static let room = 16 << 10

    /// Whether a group has the user's name and no other member.
    static func isPrivate(_ number: gid_t, of user: uid_t) -> Bool {
        guard let name = name(of: user) else { return false }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            var entry = unsafe group()
            var found: UnsafeMutablePointer<group>?
            guard unsafe getgrgid_r(number, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
                let own = unsafe entry.gr_name, unsafe String(cString: own) == name
            else { return false }
            var members = unsafe entry.gr_mem
            while let list = unsafe members, let member = unsafe list.pointee {
                guard unsafe String(cString: member) == name else { return false }
                unsafe members = list + 1
            }
            return true
        }
    }

    private static func name(of user: uid_t) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> String? in
            guard let start = buffer.baseAddress else { return nil }
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            let result = unsafe getpwuid_r(user, &entry, start, buffer.count, &found)
            guard result == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return nil }
            return unsafe String(cString: name)
        }
    }
}

/// The free space on a folder's disk.
package struct DiskRoom: Hashable, Sendable {
    /// Bytes available to the user.
    package let bytes: Int64
    /// Number of files that can still be created, or `nil` if the file system has no such limit.
    package let files: Int64?

    /// Queries the file system, which may block for any length of time.
    ///
    /// - Parameter folder: Absolute path. If it does not exist, its nearest existing parent folder is used.
    /// - Returns: `nil` if the system reports no free space.
    package init?(at folder: String) {
        var status = statvfs()
        var path = folder
        while path.withPath({ unsafe statvfs($0, &status) }) != 0 {
            guard errno == ENOENT, path.utf8.count > 1 else { return nil }
            path = path.folderPart
        }
        // A file system without a size, such as one of a network, reports no blocks at all.
        guard status.f_blocks > 0 else { return nil }
        let room = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        bytes = room.overflow ? .max : Int64(clamping: room.partialValue)
        files = status.f_files > 0 ? Int64(clamping: status.f_favail) : nil
    }
}
