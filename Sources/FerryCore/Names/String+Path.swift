// Ferry: FerryCore
// The parts of a path.

extension String {
    /// What follows the last slash of a path; all of it without one.
    package var lastPathPart: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return String(self[utf8.index(after: slash)...])
    }

    /// The path of a name in this folder.
    package func appendingPathPart(_ name: String) -> String { (self == "/" ? "" : self) + "/" + name }

    /// What comes before the last slash of a path: `/` for a file of the root, empty without a slash.
    package var folderPart: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
