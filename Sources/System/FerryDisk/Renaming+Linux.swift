#if os(Linux)
    import CFerrySystem
    import FerryFoundation
    import Glibc

    /// Giving a file a name that must not be taken.
    extension SystemDisk {
        package func rename(
            _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replacing: Bool
        ) throws(DiskError) -> Bool {
            if replacing {
                // A rename over a device, a FIFO or a socket would replace it by a file.
                if try identity(of: newName, in: newFolder)?.kind == .special { return false }
                try replace(newName, in: newFolder, by: name, in: folder)
                return true
            }
            if name.withPaths(
                newName, { unsafe ferry_rename_without_replacing(folder.descriptor, $0, newFolder.descriptor, $1) })
                == 0
            {
                return true
            }
            if errno == EEXIST { return false }
            guard errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP else {
                throw DiskError("Placing", newFolder.path + "/" + newName, errno: errno)
            }
            return try renameWithoutFlags(name, in: folder, to: newName, in: newFolder)
        }

        /// Renames on file systems without `RENAME_NOREPLACE`, such as those of FUSE: over an empty file that was created
        /// with the name. Where a rename does not replace a file either, as over SFTP, by a second link or a plain rename.
        ///
        /// - Parameter replaces: Whether to attempt the rename over the empty file.
        package func renameWithoutFlags(
            _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replaces: Bool = true
        ) throws(DiskError) -> Bool {
            let path = newFolder.path + "/" + newName
            guard try makePlaceholder(newName, in: newFolder, for: name) else { return false }
            if replaces,
                name.withPaths(newName, { unsafe renameat(folder.descriptor, $0, newFolder.descriptor, $1) }) == 0
            {
                return true
            }
            let refusal = replaces ? DiskError("Placing", path, errno: errno) : nil
            // Not every file system stores its mark.
            if let found = try identity(of: newName, in: newFolder), found.kind == .regular, found.size == 0 {
                try remove(newName, in: newFolder)
            }
            if let refusal, !refusal.isRefusal, refusal.errno != EEXIST, refusal.errno != EIO { throw refusal }
            if name.withPaths(newName, { unsafe linkat(folder.descriptor, $0, newFolder.descriptor, $1, 0) }) == 0 {
                guard name.withPath({ unsafe unlinkat(folder.descriptor, $0, 0) }) == 0 else {
                    let failure = DiskError("Placing", path, errno: errno)
                    _ = newName.withPath { unsafe unlinkat(newFolder.descriptor, $0, 0) }
                    throw failure
                }
                return true
            }
            if errno == EEXIST { return false }
            // The rename over the empty file was refused, so this one does not replace a file either.
            guard name.withPaths(newName, { unsafe renameat(folder.descriptor, $0, newFolder.descriptor, $1) }) == 0
            else {
                if errno == EEXIST { return false }
                throw DiskError("Placing", path, errno: errno)
            }
            return true
        }

        /// Renames over a file. Where a rename replaces no file, as over SFTP, the old one gets another name meanwhile.
        ///
        /// - Parameter replaces: Whether to attempt a rename that replaces.
        package func replace(
            _ newName: String, in newFolder: OpenFile, by name: String, in folder: OpenFile, replaces: Bool = true
        ) throws(DiskError) {
            func move(
                _ name: String, _ folder: OpenFile, _ newName: String, _ newFolder: OpenFile
            ) throws(DiskError) {
                let isMoved = name.withPaths(newName) {
                    unsafe renameat(folder.descriptor, $0, newFolder.descriptor, $1)
                }
                guard isMoved == 0 else { throw DiskError("Placing", newFolder.path + "/" + newName, errno: errno) }
            }
            var refusal = DiskError("Placing", newFolder.path + "/" + newName, errno: EPERM)
            if replaces {
                do throws(DiskError) { return try move(name, folder, newName, newFolder) } catch { refusal = error }
            }
            guard refusal.isRefusal || refusal.errno == EEXIST || refusal.errno == EIO,
                try identity(of: newName, in: newFolder)?.kind == .regular
            else { throw refusal }
            let aside = Placeholder.aside(for: name)
            try move(newName, newFolder, aside, newFolder)
            do throws(DiskError) { try move(name, folder, newName, newFolder) } catch {
                try? move(aside, newFolder, newName, newFolder)
                throw error
            }
            try remove(aside, in: newFolder)
        }

        /// Creates the empty file, or returns false if the name is taken.
        private func makePlaceholder(
            _ newName: String, in folder: OpenFile, for name: String
        ) throws(DiskError) -> Bool {
            do throws(DiskError) {
                let file = try createFile(newName, in: folder)
                // Without a mark, a crash before the rename leaves an empty file with the name.
                try? setModificationTime(Placeholder.mark(for: name), of: file)
                return true
            } catch {
                if error.errno == EEXIST { return false }
                throw DiskError("Placing", error.path, errno: error.errno)
            }
        }
    }
#endif
