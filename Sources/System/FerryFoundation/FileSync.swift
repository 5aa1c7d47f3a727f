/// Whether an error number says that a file system does not offer an operation, rather than failed in it.
///
/// FUSE, network file systems and those of other systems refuse what they cannot store, such as modes (`EPERM`), and calls that
/// they do not have, such as `fsync` of a folder (`EINVAL`, `EACCES`).
package func isRefusal(_ number: Int32) -> Bool {
    [EPERM, EACCES, EINVAL, ENOSYS, ENOTTY, EOPNOTSUPP].contains(number)
}

/// Makes a file, or the names in a folder, as durable as its file system can (fsync(2)). Some cannot sync a folder.
///
/// - Returns: False with `errno` set if the sync failed.
package func syncIfOffered(_ descriptor: CInt) -> Bool {
    uninterrupted { fsync(descriptor) } == 0 || isRefusal(errno)
}
