// Ferry: FerryEngine
// Folders with modes of their own.

#if os(Linux)
    import CFerrySystem
    import Foundation

    /// A folder that this process has just made.
    enum NewFolder {
        /// Gives it its mode where this process's umask took something off.
        ///
        /// In a folder with a default access list the kernel leaves the umask out, and the list has decided.
        static func setMode(_ mode: UInt32, of path: String) throws(DiskError) {
            let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            // Another process that may write to the folder above may have moved it away.
            guard folder >= 0 else { return }
            defer { close(folder) }
            var facts = stat()
            guard unsafe fstat(folder, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & 0o777 != mode,
                ferry_has_default_access_list(folder) == 0
            else { return }
            guard fchmod(folder, facts.st_mode & 0o7000 | mode) == 0 else {
                throw DiskError("Setting the mode of", path, errno: errno)
            }
        }
    }
#endif
