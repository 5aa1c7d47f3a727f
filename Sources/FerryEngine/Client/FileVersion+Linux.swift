// Ferry: FerryEngine
// What tells one content of a file from another without reading it.

#if os(Linux)
    import Foundation

    /// What tells one content of a file from another without reading it.
    ///
    /// A time of modification alone does not: copying programs and archives put it back.
    struct FileVersion: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// Nanoseconds since 1970.
        let modified: Int64
        let changed: Int64

        init(_ facts: stat) {
            device = UInt64(facts.st_dev)
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            modified = Self.nanoseconds(facts.st_mtim)
            changed = Self.nanoseconds(facts.st_ctim)
        }

        /// Looks at the file or the folder to which a path leads; nil if there is none.
        ///
        /// - Parameter kind: `S_IFREG` or `S_IFDIR`; nil for everything else.
        init?(at path: String, kind: mode_t) {
            var facts = stat()
            guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == kind else { return nil }
            self.init(facts)
        }

        private static func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    }
#endif
