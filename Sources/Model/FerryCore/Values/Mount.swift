/// Where a folder's file system is mounted, and which one it is.
///
/// Tells a disk that was unmounted, whose folder is then on the file system below, from the disk itself.
package struct Mount: Hashable, Codable, Sendable {
    /// Absolute path of the mount point, without links.
    package var point: String
    /// The kernel's number of the type of file system, as in statfs(2).
    package var type: UInt64
    /// The file system's own id, the same under every device number. `nil` if it has none.
    package var id: UInt64?

    package init(point: String, type: UInt64, id: UInt64? = nil) {
        self.point = point
        self.type = type
        self.id = id
    }

    /// Why a folder is not on this file system.
    package enum Difference: Hashable, Sendable {
        /// Nothing is mounted at ``point``.
        case unmounted
        /// Another file system is mounted at ``point``.
        case another
    }

    /// Compares this mount with the one that now has the folder, or the nearest folder above it that exists.
    ///
    /// - Returns: `nil` if it may be the same. A folder that moved to a mount elsewhere counts as the same.
    package func difference(to now: Mount) -> Difference? {
        if now.point == point { return now.type != type || (id != nil && now.id != id) ? .another : nil }
        let above = now.point == "/" ? "/" : now.point + "/"
        return point.hasPrefix(above) ? .unmounted : nil
    }
}
