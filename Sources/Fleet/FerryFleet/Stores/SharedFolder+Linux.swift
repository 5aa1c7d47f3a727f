import CFerrySystem
import Crypto
import FerryCore
import FerryFoundation
import Glibc
import Synchronization

/// An open folder of a store. Reached without following links below the store's folder.
struct SharedFolder: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Opens a folder below a store, and creates it if it is missing.
    init(_ path: String, below store: Store) throws(DeliveryFailure) {
        self.path = path
        var current = uninterrupted { unsafe Glibc.open(store.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard current >= 0 else { throw Self.failure(store.folder, "opened", errno) }
        do throws(DeliveryFailure) {
            try Self.check(current, store)
        } catch {
            close(current)
            throw error
        }
        for part in path.dropFirst(store.folder.count).split(separator: "/") {
            let name = String(part)
            let above = current
            func inner() -> Int32 {
                uninterrupted { unsafe openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
            }
            var next = inner()
            if next < 0, errno == ENOENT {
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
            guard next >= 0 else { throw Self.failure(path, "opened", code) }
            current = next
        }
        descriptor = current
    }

    deinit { close(descriptor) }

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

    // MARK: Copying

    /// Copies a file durably to a new file, and returns its inode and SHA-256.
    func copy(
        _ file: LocalFile, to name: String, of token: JobToken, _ isCanceled: borrowing Atomic<Bool>
    ) throws(DeliveryFailure) -> (inode: UInt64, sha256: String) {
        let source = uninterrupted { unsafe Glibc.open(file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard source >= 0 else { throw Self.failure(file.path, "read", errno) }
        defer { close(source) }
        // Not truncated: after a crash the final name may have the same file.
        unsafe unlinkat(descriptor, name, 0)
        let target = uninterrupted {
            unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        guard target >= 0 else { throw Self.failure(path, "written", errno) }
        defer { close(target) }
        let sha256 = try copyBytes(from: source, to: target, file, isCanceled)
        mark(target, token, sha256)
        var facts = stat()
        guard uninterrupted({ fdatasync(target) }) == 0, unsafe fstat(target, &facts) == 0 else {
            throw Self.failure(path, "written", errno)
        }
        return (UInt64(facts.st_ino), sha256)
    }

    private func copyBytes(
        from source: Int32, to target: Int32, _ file: LocalFile, _ isCanceled: borrowing Atomic<Bool>
    ) throws(DeliveryFailure) -> String {
        var digest = SHA256()
        var total: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { unsafe buffer.deallocate() }
        while true {
            let count = uninterrupted { unsafe read(source, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw Self.failure(file.path, "read", errno) }
            if count == 0 { break }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            unsafe digest.update(bufferPointer: bytes)
            var written = 0
            while written < count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                let more = uninterrupted { unsafe write(target, rest.baseAddress, rest.count) }
                guard more >= 0 else { throw Self.failure(path, "written", errno) }
                written += more
            }
            total += Int64(count)
            guard !isCanceled.load(ordering: .relaxed) else {
                throw DeliveryFailure(ServiceError(.canceled, "The delivery was stopped."), isTemporary: true)
            }
        }
        guard total == file.size else {
            throw DeliveryFailure(
                ServiceError(.fileChanged, "\(file.path.escapingControls) has \(total) bytes instead of \(file.size)."),
                isTemporary: false)
        }
        return digest.finalize().hexDigits
    }

    // MARK: Marks

    private static let attribute = "user.ferry.job"

    /// Notes the job on its file, where the file system has attributes. So the file is recognized even if the database has
    /// forgotten the intent, after a fail-over to a replica that lagged behind.
    private func mark(_ file: Int32, _ token: JobToken, _ sha256: String) {
        let text = Array("\(token) \(sha256)".utf8)
        _ = unsafe ferry_set_attribute(file, Self.attribute, text, text.count)
    }

    /// The mark of the file at a name.
    private func mark(of name: String) -> (token: JobToken, sha256: String, size: Int64)? {
        let file = uninterrupted {
            unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe ferry_get_attribute(file, Self.attribute, &bytes, bytes.count)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        var facts = stat()
        guard words.count == 2, let token = JobToken(words[0]), unsafe fstat(file, &facts) == 0 else { return nil }
        return (token, String(words[1]), Int64(facts.st_size))
    }

    /// The job's own file at a name, by its mark.
    private func marked(_ name: String, _ delivery: Delivery) -> JobResult? {
        guard let mark = mark(of: name), mark.token == delivery.key.token else { return nil }
        return JobResult(path: path + "/" + name, size: mark.size, sha256: mark.sha256)
    }

    // MARK: Placing

    /// The inode at a name, or `nil` if there is nothing.
    func inode(of name: String) -> UInt64? {
        var facts = stat()
        return unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// The intent whose file is at its name.
    ///
    /// An inode's number is used again after the file is gone, so size and mark are looked at too.
    func placed(among known: [Intent], of token: JobToken) -> Intent? {
        for intent in known where intent.path.hasPrefix(path + "/") {
            let name = String(intent.path.dropFirst(path.count + 1))
            var facts = stat()
            guard unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_ino == intent.inode,
                facts.st_size == intent.size, mark(of: name).map({ $0.token == token }) ?? true
            else { continue }
            return intent
        }
        return nil
    }

    /// Gives a copy the final name of its intent.
    func place(_ file: PreparedFile, of delivery: Delivery) throws(DeliveryFailure) -> Placement {
        let name = String(file.intent.path.dropFirst(path.count + 1))
        // The copy has the name that its intent says, or is gone: then another holder has removed it.
        let status = uninterrupted { unsafe linkat(descriptor, delivery.copyName, descriptor, name, 0) }
        let code = status == 0 ? 0 : errno
        guard let found = inode(of: name) else {
            throw Self.failure(file.intent.path, "written", code == 0 ? EIO : code)
        }
        if found == file.intent.inode {
            try sync()
            return .delivered(file.intent.result)
        }
        if let own = marked(name, delivery) {
            try sync()
            return .delivered(own)
        }
        switch delivery.policy {
        case .skip:
            var facts = stat()
            guard unsafe fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw Self.failure(file.intent.path, "read", errno)
            }
            return .delivered(
                JobResult(path: file.intent.path, size: Int64(facts.st_size), sha256: nil, isUnchanged: true))
        case .replace:
            // A file that came since the intent is looked at under the fence again: the holder may be another by now.
            guard found == file.replaces else {
                return .renamed(PreparedFile(intent: file.intent, replaces: found))
            }
            let isRenamed = uninterrupted { unsafe renameat(descriptor, delivery.copyName, descriptor, name) } == 0
            let code = errno
            // A call that a signal interrupted may have renamed it all the same.
            guard isRenamed || inode(of: name) == file.intent.inode else {
                throw Self.failure(file.intent.path, "written", code)
            }
            try sync()
            return .delivered(file.intent.result)
        case .unique:
            for number in 1...9999 {
                let next = FileName.numbered(delivery.name, number)
                if let own = marked(next, delivery) {
                    try sync()
                    return .delivered(own)
                }
                guard inode(of: next) == nil else { continue }
                var intent = file.intent
                intent.path = path + "/" + next
                return .renamed(PreparedFile(intent: intent))
            }
            fallthrough
        case .fail, .update:
            throw DeliveryFailure(
                ServiceError(
                    .destinationExists, "“\(file.intent.path.escapingControls)” exists already. Choose another name."),
                isTemporary: false)
        }
    }

    /// Removes copies. Only names of copies are removed, whatever an intent says.
    func remove(_ names: [String]) {
        for name in names where name.hasPrefix(".ferry-fleet-") && name.hasSuffix(".part") && !name.contains("/") {
            unsafe unlinkat(descriptor, name, 0)
        }
    }

    /// Makes the folder's names durable.
    func sync() throws(DeliveryFailure) {
        guard syncIfOffered(descriptor) else { throw Self.failure(path, "written", errno) }
    }

    private static func failure(_ path: String, _ verb: String, _ code: Int32) -> DeliveryFailure {
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
