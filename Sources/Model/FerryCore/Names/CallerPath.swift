/// Validates a caller's path or name for a transfer's file.
package enum CallerPath {
    /// Validates that a path can name a file. It is not changed.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for a NUL, an empty last component, `.` and `..`.
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

extension CallerPath {
    /// The error for a path that must be absolute.
    package static func notAbsolute(_ path: String) -> ServiceError {
        ServiceError(.invalidRequest, "“\(path.prefix(256).description.escapingControls)” is not an absolute path.")
    }
}

/// Path components.
extension String {
    /// The last path component: everything after the last slash.
    package var lastPathPart: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return String(self[utf8.index(after: slash)...])
    }

    /// The path of a file in this folder.
    package func appendingPathPart(_ name: String) -> String { (self == "/" ? "" : self) + "/" + name }

    /// Everything before the last slash: `/` for a file in the root folder, empty without a slash.
    package var folderPart: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
