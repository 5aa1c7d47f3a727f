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

/// Path components. They end at the byte of a slash: a combining mark after it must not hide it. Equality of strings would
/// take different names for the same one, such as those with composed and decomposed letters.
extension String {
    /// Whether the path begins with a slash.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// The components that are not empty.
    package var pathParts: [String] { utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }

    /// Whether the path has the same bytes as another one.
    package func isPath(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether the path is a folder's, or below it.
    package func isPath(in folder: String) -> Bool {
        if folder.isPath("/") || isPath(folder) { return true }
        return utf8.starts(with: (folder + "/").utf8)
    }

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

/// A path as the key of a collection, compared by its bytes.
package struct PathKey: Hashable, Comparable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package static func == (one: PathKey, other: PathKey) -> Bool { one.path.isPath(other.path) }

    package static func < (one: PathKey, other: PathKey) -> Bool {
        one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }
}
