// Ferry: FerryCore
// How a partial file looked when its transfer came to rest.

/// How a partial file looked right after the last change that its transfer made to it.
///
/// Its time of modification is one that the transfer has set, some seconds back: a later write gives the
/// file another one, on file systems with coarse times too.
package struct FileStamp: Hashable, Codable, Sendable {
    /// What of a file still counts, by how it looks.
    package enum Trust: Hashable, Sendable, CaseIterable {
        /// Its bytes, and what was computed from them.
        case all
        /// Its bytes: something about the file was changed that may have been them, with their time put back.
        case bytes
        /// Nothing, as far as can be seen: its time alone is another one. Bytes were written in place, or the file system
        /// changes times by itself, as davfs2, rclone and NFS do when they send data later.
        case nothingCertain
        case nothing
    }

    package var size: Int64
    /// Nanoseconds since 1970 of the last modification.
    package var modified: Int64
    /// Nanoseconds since 1970 of the last change of the bytes or of anything that is known about the file.
    package var changed: Int64

    package init(size: Int64, modified: Int64, changed: Int64) {
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// What counts of a file that bore this stamp and looks as found.
    package func trust(in found: FileStamp) -> Trust {
        guard size == found.size else { return .nothing }
        guard modified == found.modified else { return .nothingCertain }
        return changed == found.changed ? .all : .bytes
    }

    /// The time that is given to a file at a moment, in seconds since 1970.
    ///
    /// It is even, as some file systems keep no other seconds, and far enough back that a later change never rounds to it.
    package static func mark(at now: Int64) -> Int64 { (now - 4) & ~1 }
}
