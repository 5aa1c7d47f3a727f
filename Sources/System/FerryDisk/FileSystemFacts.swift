/// Properties of a file system.
package struct FileSystemFacts: Hashable, Sendable {
    /// The bytes that this user may still write, or `nil` if that is unknown.
    package var free: Int64?
    /// Whether a file keeps its inode number until it is removed, also when the file system is mounted anew.
    package var keepsInodes = true

    package init(free: Int64? = nil, keepsInodes: Bool = true) {
        self.free = free
        self.keepsInodes = keepsInodes
    }
}
