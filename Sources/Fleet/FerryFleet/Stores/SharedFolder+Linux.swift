import CFerrySystem
import FerryCore
import FerryFoundation
import Glibc

/// An open folder of a store. Reached without following links below the store's folder.
struct SharedFolder: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Opens a folder below a store.
    ///
    /// - Parameter makes: Whether to create it if it is missing.
    /// - Throws: A failure with `isAbsent` if it is missing and not created.
    init(_ path: String, below store: Store, makes: Bool = true) throws(DeliveryFailure) {
        self.path = path
        guard path.isPath(store.folder) || store.contains(path) else { throw Self.outside(path) }
        var current = uninterrupted { unsafe Glibc.open(store.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard current >= 0 else { throw Self.failure(store.folder, "opened", errno) }
        do throws(DeliveryFailure) {
            try Self.check(current, store)
        } catch {
            close(current)
            throw error
        }
        let below = String(decoding: path.utf8.dropFirst(store.folder.utf8.count), as: UTF8.self)
        for name in below.pathParts {
            let above = current
            func inner() -> Int32 {
                uninterrupted { unsafe openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            }
            var next = inner()
            if next < 0, errno == ENOENT, makes {
                let isMade = uninterrupted { unsafe mkdirat(above, name, 0o777) } == 0
                // Another worker may have made it, without having synced the folder above yet.
                if isMade || errno == EEXIST, !syncIfOffered(above) {
                    let code = errno
                    close(current)
                    throw Self.failure(path, "written", code)
                }
                next = inner()
            }
            let code = errno
            close(current)
            guard next >= 0 else {
                var failure = Self.failure(path, "opened", code)
                failure.isAbsent = code == ENOENT && !makes
                throw failure
            }
            current = next
        }
        descriptor = current
    }

    deinit { close(descriptor) }

    static func outside(_ path: String) -> DeliveryFailure {
        DeliveryFailure(
            ServiceError(
                .invalidRequest,
                "No store of the fleet contains “\(path.escapingControls)”. See `ferry fleet store list`."),
            isTemporary: false)
    }

    /// A folder without the store's mark is an empty mount point, or another folder.
    private static func check(_ folder: Int32, _ store: Store) throws(DeliveryFailure) {
        let file = uninterrupted { unsafe openat(folder, FolderStore.markName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = file < 0 ? 0 : uninterrupted { unsafe read(file, &bytes, bytes.count) }
        if file >= 0 { close(file) }
        let mark = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).prefix { !$0.isNewline }
        guard !mark.isEmpty, mark == store.mark else {
            throw DeliveryFailure(
                ServiceError(
                    .destinationUnwritable,
                    "\(store.folder.escapingControls) is not the fleet's store “\(store.name.escapingControls)” on this machine: its file \(FolderStore.markName) is missing or another one. Mount the store."
                ), isTemporary: true)
        }
    }

    /// The inode at a name, or `nil` if there is nothing.
    func inode(of name: String) -> UInt64? {
        var facts = stat()
        return unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// Removes copies. Only names of copies are removed, whatever an intent says.
    func remove(_ names: [String]) {
        for name in names
        where name.hasPrefix(JobRequest.reservedPrefix) && name.hasSuffix(".part") && !name.contains("/") {
            unsafe unlinkat(descriptor, name, 0)
        }
    }

    /// Removes one name.
    func removeCopy(_ name: String) throws(DeliveryFailure) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw Self.failure(path + "/" + name, "removed", errno)
        }
    }

    /// Another descriptor of the folder with a position of its own, or -1. The caller closes it.
    func duplicated() -> Int32 { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

    /// Makes the folder's names durable.
    func sync() throws(DeliveryFailure) {
        guard syncIfOffered(descriptor) else { throw Self.failure(path, "written", errno) }
    }

    static func failure(_ path: String, _ verb: String, _ code: Int32) -> DeliveryFailure {
        let text = unsafe String(cString: strerror(code))
        let error: ErrorCode = [ENOSPC, EDQUOT].contains(code) ? .diskFull : .destinationUnwritable
        // A link in the way, or a file in place of a folder, stays.
        let isPermanent = [ELOOP, ENOTDIR, ENAMETOOLONG, EFBIG].contains(code)
        return DeliveryFailure(
            ServiceError(
                error, "\(path.escapingControls) cannot be \(verb): \(text).", details: ErrorDetails(errno: code)),
            isTemporary: !isPermanent)
    }
}
