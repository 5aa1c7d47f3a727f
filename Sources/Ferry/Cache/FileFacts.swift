// Ferry: Ferry
// By what a file is known again.

import FerryCore
import Glibc

/// By what a regular file is known again.
struct FileFacts: Hashable, Codable {
    let size: Int64
    /// Nanoseconds since 1970.
    let modified: Int64

    /// What the disk says of a path; nil unless it is a regular file, which a symbolic link is not.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(facts.st_size)
        modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }
}
