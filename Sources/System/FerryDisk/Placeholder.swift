/// The empty file that holds a name until a complete file replaces it, on file systems without `RENAME_NOREPLACE`.
///
/// Its modification time tells it from any other empty file, so that it can be removed after a crash before the rename.
package enum Placeholder {
    /// Start of the range of marks, in seconds since 1970. File systems such as FAT store no year before 1980.
    private static let first: Int64 = 400_000_000

    /// Returns the modification time of a file's placeholder, in seconds since 1970. Even, since FAT stores only even
    /// seconds.
    ///
    /// - Parameter name: Name of the complete file before its rename.
    package static func mark(for name: String) -> Int64 {
        // FNV-1a
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return first + Int64(hash >> 36) * 2
    }

    /// Returns the name of the old file while it is replaced, where a rename replaces no file.
    static func aside(for name: String) -> String { name + ".old" }

    /// Returns whether a file is the placeholder for a file of that name.
    package static func isOne(_ found: FileIdentity, for name: String) -> Bool {
        found.kind == .regular && found.size == 0 && found.modified / 1_000_000_000 == mark(for: name)
    }
}

extension DiskSystem {
    /// Returns whether two names are those of one file.
    package func haveSameFile(
        _ name: String, in folder: OpenFile, _ newName: String, in newFolder: OpenFile
    ) throws(DiskError) -> Bool {
        guard let one = try identity(of: name, in: folder), let other = try identity(of: newName, in: newFolder) else {
            return false
        }
        return one.kind == .regular && one.links > 1 && one.device == other.device && one.inode == other.inode
    }

    /// Undoes a rename that a crash interrupted: removes the placeholder or the second name, and no other file of that
    /// name, and gives the old file its name back.
    ///
    /// - Parameter name: Name of the complete file before its rename.
    package func undoRename(of name: String, to newName: String, in folder: OpenFile) throws(DiskError) {
        let isPlaceholder = try identity(of: newName, in: folder).map { Placeholder.isOne($0, for: name) } ?? false
        let isSecondName = try haveSameFile(name, in: folder, newName, in: folder)
        if isPlaceholder || isSecondName { try remove(newName, in: folder) }
        let aside = Placeholder.aside(for: name)
        guard try identity(of: aside, in: folder)?.kind == .regular else { return }
        if try !rename(aside, in: folder, to: newName, in: folder, replacing: false) { try remove(aside, in: folder) }
    }
}
