/// Judges a path or name that a caller gives for the file of a transfer.
package enum CallerPath {
    /// Checks that the path can name a file; it is otherwise taken as it is.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for a NUL, an empty last part, `.` and `..`.
    package static func check(_ path: String) throws(ServiceError) {
        let shown = path.escapingControls
        guard !path.utf8.contains(0) else {
            throw ServiceError(.invalidRequest, "The name “\(shown)” has a NUL character.")
        }
        let last = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        guard !last.isEmpty else {
            throw ServiceError(.invalidRequest, "“\(shown)” names no file; its last part is empty.")
        }
        guard !last.elementsEqual(".".utf8), !last.elementsEqual("..".utf8) else {
            throw ServiceError(.invalidRequest, "“\(shown)” names a folder, not a file.")
        }
    }
}

/// The parts of a path.
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
