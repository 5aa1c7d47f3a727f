#if os(Linux)
    import CFerrySystem
    package import FerryCore
    import FerryFoundation
    import Glibc

    /// File operations of Linux.
    package struct SystemDisk: DiskSystem {
        package init() {}

        package func device(of path: String) -> UInt64? {
            var path = path
            while !path.isEmpty {
                var status = stat()
                if path.withPath({ unsafe stat($0, &status) }) == 0 { return UInt64(status.st_dev) }
                guard path != "/" else { return nil }
                path = path.folderPart
            }
            return nil
        }

        package func openFolder(_ path: String) throws(DiskError) -> OpenFile {
            let descriptor = uninterrupted { path.withPath({ unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) }
            guard descriptor >= 0 else { throw DiskError("Opening the folder", path, errno: errno) }
            return OpenFile(descriptor: descriptor, path: path)
        }

        package func realPath(of folder: OpenFile) throws(DiskError) -> String {
            // The kernel's path of the descriptor (proc_pid_fd(5)).
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = unsafe readlink("/proc/self/fd/\(folder.descriptor)", &bytes, bytes.count)
            guard length > 0, length < bytes.count else {
                throw DiskError("Looking at", folder.path, errno: length < 0 ? errno : ENAMETOOLONG)
            }
            return String(path: bytes[..<length].map(UInt8.init(bitPattern:)))
        }

        package func createFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
            let path = folder.path + "/" + name
            let descriptor = uninterrupted {
                name.withPath({
                    unsafe openat(folder.descriptor, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
                })
            }
            guard descriptor >= 0 else { throw DiskError("Making the file", path, errno: errno) }
            return OpenFile(descriptor: descriptor, path: path)
        }

        package func openFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
            let path = folder.path + "/" + name
            let descriptor = uninterrupted {
                name.withPath({ unsafe openat(folder.descriptor, $0, O_RDWR | O_NOFOLLOW | O_CLOEXEC) })
            }
            guard descriptor >= 0 else { throw DiskError("Opening", path, errno: errno) }
            return OpenFile(descriptor: descriptor, path: path)
        }

        package func identity(of file: OpenFile) throws(DiskError) -> FileIdentity {
            var status = stat()
            guard unsafe fstat(file.descriptor, &status) == 0 else {
                throw DiskError("Looking at", file.path, errno: errno)
            }
            return FileIdentity(status)
        }

        package func identity(of name: String, in folder: OpenFile) throws(DiskError) -> FileIdentity? {
            var status = stat()
            guard name.withPath({ unsafe fstatat(folder.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
                if errno == ENOENT { return nil }
                throw DiskError("Looking at", folder.path + "/" + name, errno: errno)
            }
            return FileIdentity(status)
        }

        package func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(DiskError)
            -> Int
        {
            let count = uninterrupted { unsafe pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
            guard count >= 0 else { throw DiskError("Writing", file.path, errno: errno) }
            return count
        }

        package func read(
            into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int64
        ) throws(DiskError) -> Int {
            let count = uninterrupted { unsafe pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
            guard count >= 0 else { throw DiskError("Reading", file.path, errno: errno) }
            return count
        }

        package func truncate(_ file: OpenFile, to size: Int64) throws(DiskError) {
            guard uninterrupted({ ftruncate(file.descriptor, off_t(size)) }) == 0 else {
                throw DiskError("Truncating", file.path, errno: errno)
            }
        }

        package func hasHole(_ file: OpenFile, before position: Int64) -> Bool {
            ferry_has_hole(file.descriptor, position) == 1
        }

        package func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool {
            if uninterrupted({ ferry_allocate_keeping_size(file.descriptor, off_t(size)) }) == 0 { return true }
            guard errno == EOPNOTSUPP || errno == ENOSYS else {
                throw DiskError("Making room for", file.path, errno: errno)
            }
            return false
        }

        package func startWriteback(_ file: OpenFile) { _ = ferry_start_writeback(file.descriptor) }

        package func syncData(_ file: OpenFile) throws(DiskError) {
            // Where a file system has no such call, nothing more can be done.
            guard uninterrupted({ fdatasync(file.descriptor) }) == 0 || isRefusal(errno) else {
                throw DiskError("Syncing", file.path, errno: errno)
            }
        }

        package func syncAll(_ file: OpenFile) throws(DiskError) {
            guard syncIfOffered(file.descriptor) else {
                throw DiskError("Syncing", file.path, errno: errno)
            }
        }

        package func syncFileSystem(of folder: OpenFile) throws(DiskError) -> Bool {
            if uninterrupted({ ferry_sync_file_system(folder.descriptor) }) == 0 { return true }
            guard errno == EOPNOTSUPP else {
                throw DiskError("Syncing the file system of", folder.path, errno: errno)
            }
            return false
        }

        /// Returns the sum of `Dirty` and `Writeback` of proc_meminfo(5).
        package func unwrittenBytes() -> Int64? {
            guard let facts = FileManager.default.contents(atPath: "/proc/meminfo") else { return nil }
            var sum: Int64 = 0
            var found = 0
            for line in String(decoding: facts, as: UTF8.self).split(separator: "\n") {
                guard line.hasPrefix("Dirty:") || line.hasPrefix("Writeback:"),
                    let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
                else { continue }
                sum += kibibytes.multipliedSaturated(by: 1024)
                found += 1
            }
            return found == 2 ? sum : nil
        }

        package func syncFolder(_ folder: OpenFile) throws(DiskError) {
            guard uninterrupted({ fsync(folder.descriptor) }) == 0 else {
                throw DiskError("Syncing the folder", folder.path, errno: errno)
            }
        }

        package func setMode(_ mode: UInt32, of file: OpenFile) throws(DiskError) {
            guard fchmod(file.descriptor, mode) == 0 else {
                throw DiskError("Setting the mode of", file.path, errno: errno)
            }
        }

        package func setModificationTime(_ seconds: Int64, of file: OpenFile) throws(DiskError) {
            guard ferry_set_modification_time(file.descriptor, time_t(seconds)) == 0 else {
                throw DiskError("Setting the time of", file.path, errno: errno)
            }
        }

        package func setAttribute(_ name: String, _ value: String, of file: OpenFile) throws(DiskError) -> Bool {
            let bytes = Array(value.utf8)
            if unsafe ferry_set_attribute(file.descriptor, name, bytes, bytes.count) == 0 { return true }
            guard errno == EOPNOTSUPP || errno == ENOSPC || errno == E2BIG else {
                throw DiskError("Setting an attribute of", file.path, errno: errno)
            }
            return false
        }

        package func remove(_ name: String, in folder: OpenFile) throws(DiskError) {
            guard name.withPath({ unsafe unlinkat(folder.descriptor, $0, 0) }) == 0 || errno == ENOENT else {
                throw DiskError("Removing", folder.path + "/" + name, errno: errno)
            }
        }

        package func makeFolders(_ path: String, mode: UInt32, allowed: AllowedFolders?) throws(DiskError) {
            var (above, missing) = try existingFolder(of: path)
            guard !missing.isEmpty else { return }
            try check(above, allowed: allowed)
            var made: [(parent: OpenFile, name: String)] = []
            do throws(DiskError) {
                for name in missing.reversed() {
                    let isNew = name.withPath({ unsafe mkdirat(above.descriptor, $0, mode) }) == 0
                    guard isNew || errno == EEXIST else {
                        throw DiskError("Making the folder", above.path.appendingPathPart(name), errno: errno)
                    }
                    if isNew { made.append((above, name)) }
                    // Another process may have made a folder of that name in between, but no link.
                    above = try inner(name, of: above)
                    if isNew { try NewFolder.setMode(mode, of: above) }
                }
            } catch {
                for folder in made.reversed() {
                    _ = folder.name.withPath { unsafe unlinkat(folder.parent.descriptor, $0, AT_REMOVEDIR) }
                }
                throw error
            }
        }

        /// Opens the folder, or the nearest one above it that exists.
        ///
        /// - Returns: The open folder, and the names of the missing ones below it, innermost first.
        private func existingFolder(of path: String) throws(DiskError) -> (OpenFile, missing: [String]) {
            var missing: [String] = []
            var path = path
            while true {
                // A folder that this user may not read may be passed all the same.
                let descriptor = uninterrupted {
                    path.withPath({ unsafe open($0, ferry_path_only | O_DIRECTORY | O_CLOEXEC) })
                }
                if descriptor >= 0 { return (OpenFile(descriptor: descriptor, path: path), missing) }
                guard errno == ENOENT, path != "/" else { throw DiskError("Making the folder", path, errno: errno) }
                if !path.lastPathPart.isEmpty { missing.append(path.lastPathPart) }
                path = path.folderPart
            }
        }

        private func inner(_ name: String, of folder: OpenFile) throws(DiskError) -> OpenFile {
            let path = folder.path.appendingPathPart(name)
            let descriptor = name.withPath({
                unsafe openat(
                    folder.descriptor, $0, ferry_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            })
            guard descriptor >= 0 else { throw DiskError("Making the folder", path, errno: errno) }
            return OpenFile(descriptor: descriptor, path: path)
        }

        package func defaultAccessList(of path: String) -> DefaultAccessList? {
            guard let above = try? existingFolder(of: path).0, let folder = try? openFolder(above.path) else {
                return nil
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let size = unsafe ferry_get_attribute(
                folder.descriptor, DefaultAccessList.attribute, &bytes, bytes.count)
            return size > 0 ? DefaultAccessList(Array(bytes[..<size])) : nil
        }

        package func writeObstacle(in folder: OpenFile) -> Int32? {
            unsafe faccessat(folder.descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 ? nil : errno
        }

        package func fileSystem(of folder: OpenFile) throws(DiskError) -> FileSystemFacts {
            var (type, id, free) = (UInt64(0), UInt64(0), Int64(0))
            guard unsafe ferry_file_system(folder.descriptor, &type, &id, &free) == 0 else {
                let error = DiskError("Looking at", folder.path, errno: errno)
                if error.isRefusal { return FileSystemFacts() }
                throw error
            }
            // A file system without a size, such as one of a network or an object store, reports no blocks at all.
            return FileSystemFacts(free: free < 0 ? nil : free, keepsInodes: ferry_keeps_inodes(type) == 1)
        }

        package func mount(of path: String) -> Mount? {
            guard let folder = try? existingFolder(of: path).0, var point = try? realPath(of: folder) else {
                return nil
            }
            var (type, id, free) = (UInt64(0), UInt64(0), Int64(0))
            guard unsafe ferry_file_system(folder.descriptor, &type, &id, &free) == 0 else { return nil }
            while point != "/" {
                switch point.withPath({ unsafe ferry_is_mount_root($0) }) {
                case 0: point = point.folderPart
                case 1: return Mount(point: point, type: type, id: id == 0 ? nil : id)
                default: return nil
                }
            }
            return Mount(point: point, type: type, id: id == 0 ? nil : id)
        }
    }

    extension FileIdentity {
        fileprivate init(_ status: stat) {
            let kind: Kind =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .regular
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .special
                }
            self.init(
                kind: kind, device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
                links: UInt64(status.st_nlink), owner: status.st_uid, mode: status.st_mode & 0o7777,
                modified: Int64(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec),
                changed: Int64(seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec))
        }
    }

    /// Setting the mode of a folder that this process has just created.
    enum NewFolder {
        /// Sets the mode if the umask removed bits from it.
        ///
        /// In a folder with a default ACL the kernel ignores the umask and applies the list.
        static func setMode(_ mode: UInt32, of created: OpenFile) throws(DiskError) {
            let folder = unsafe openat(created.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return }
            defer { close(folder) }
            var facts = stat()
            guard unsafe fstat(folder, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & 0o777 != mode,
                ferry_has_default_access_list(folder) == 0
            else { return }
            guard fchmod(folder, facts.st_mode & 0o7000 | mode) != 0 else { return }
            let error = DiskError("Setting the mode of", created.path, errno: errno)
            if !error.isRefusal { throw error }
        }
    }
#endif
