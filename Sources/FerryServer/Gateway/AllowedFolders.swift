import FerryCore

/// The folders in which gateway clients may store files. A stolen secret gives write access to no others.
struct AllowedFolders: Sendable {
    private let folders: [String]

    init(_ folders: [String]) { self.folders = folders }

    /// The default folder.
    var usual: String { folders.first ?? "/nonexistent" }

    /// Whether a path is one of the folders or inside one.
    func contain(_ path: String) -> Bool {
        guard Self.isPlain(path) else { return false }
        return folders.contains { folder in
            folder == "/" || path == folder || path.hasPrefix(folder + "/")
        }
    }

    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the allowed folders.
    func check(folder: String) throws(ServiceError) {
        guard !contain(folder) else { return }
        throw ServiceError(
            .invalidRequest,
            "The gateway writes no files to \(folder.escapingControls), only to \(named) and folders below; "
                + "`ferry gateway folders --add FOLDER` allows another one.")
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` for a name that escapes its folder.
    func check(name: String) throws(ServiceError) {
        guard name.hasPrefix("/") || name.split(separator: "/", omittingEmptySubsequences: false).contains("..") else {
            return
        }
        throw ServiceError(
            .invalidRequest, "The name \(name.escapingControls) is outside its folder; give a name below it.")
    }

    private var named: String {
        folders.prefix(8).map(\.escapingControls).joined(separator: ", ")
    }

    /// Whether a path is absolute, without control characters and without empty, `.` or `..` components.
    static func isPlain(_ path: String) -> Bool {
        guard path.hasPrefix("/"), !path.hasControls else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        return !parts.contains("..") && !parts.contains(".") && (path == "/" || !path.hasSuffix("/"))
            && !path.contains("//")
    }
}
