package import FerryFoundation

/// The content of a request.
package enum RequestBody: Hashable, Codable, Sendable {
    case bytes(Data)
    case file(SentFile)

    /// Length of the body in bytes.
    package var length: Int64 {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.size
        }
    }

    /// An uploaded file with its attributes at submission. A file that has changed since is not sent.
    package struct SentFile: Hashable, Codable, Sendable {
        /// Absolute path.
        package var path: String
        package var size: Int64
        /// Modification time in nanoseconds since 1970.
        package var modified: Int64
        /// Inode number, or nil if the client did not give it.
        package var inode: UInt64?
        /// Time of the last change to bytes or metadata (ctime) in nanoseconds since 1970, or nil if the client did not
        /// give it. It shows a change whose modification time was set back.
        package var changed: Int64?

        package init(path: String, size: Int64, modified: Int64, inode: UInt64? = nil, changed: Int64? = nil) {
            self.path = path
            self.size = size
            self.modified = modified
            self.inode = inode
            self.changed = changed
        }

        /// A file whose attributes are not known yet.
        package init(path: String) { self.init(path: path, size: 0, modified: .min) }

        /// Whether size and time are known.
        package var isNoted: Bool { modified != .min }
    }
}
