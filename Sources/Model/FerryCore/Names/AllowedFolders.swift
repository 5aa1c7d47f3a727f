/// The folders in and below which files may be placed, removed and renamed.
///
/// Paths are compared as text. `DiskSystem` compares the real path of an open folder, without links.
package struct AllowedFolders: Hashable, Sendable {
    /// Absolute paths.
    package let folders: [String]

    package init(_ folders: [String]) { self.folders = folders }

    /// The default folder.
    package var usual: String { folders.first ?? "/nonexistent" }

    /// Whether a path is one of the folders or inside one. Slashes that name no component, such as a final one, do not
    /// count.
    package func contain(_ path: String) -> Bool {
        guard path.isAbsolutePath else { return false }
        let place = "/" + path.pathParts.joined(separator: "/")
        return Self.isPlain(place) && folders.contains { place.isPath(in: $0) }
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` for a name that escapes its folder.
    package func check(name: String) throws(ServiceError) {
        guard name.utf8.first == UInt8(ascii: "/") || name.pathParts.contains("..") else { return }
        throw ServiceError(
            .invalidRequest, "The name \(name.escapingControls) is outside its folder; give a name below it.")
    }

    /// The first folders, for a message.
    package var named: String { folders.prefix(8).map(\.escapingControls).joined(separator: ", ") }

    /// Whether a path is absolute, without control characters and without empty, `.` or `..` components.
    package static func isPlain(_ path: String) -> Bool {
        guard path.isAbsolutePath, !path.hasControls else { return false }
        let parts = path.pathParts
        return !parts.contains("..") && !parts.contains(".")
            && path.utf8.elementsEqual(("/" + parts.joined(separator: "/")).utf8)
    }

    /// Maximum number of folders of a request.
    private static let most = 256

    /// - Throws: ``ServiceError`` with code `invalid_request` unless all folders are plain absolute paths.
    func check() throws(ServiceError) {
        guard (1...Self.most).contains(folders.count) else {
            throw ServiceError(.invalidRequest, "A request has 1 to \(Self.most) allowed folders.")
        }
        for folder in folders where !Self.isPlain(folder) || folder.utf8.count > 4096 {
            throw ServiceError(
                .invalidRequest,
                "The allowed folder “\(folder.prefix(256).description.escapingControls)” is not an absolute path without “..”."
            )
        }
    }
}

extension AllowedFolders: Codable {
    package init(from decoder: any Decoder) throws { folders = try [String](from: decoder) }

    package func encode(to encoder: any Encoder) throws { try folders.encode(to: encoder) }
}
