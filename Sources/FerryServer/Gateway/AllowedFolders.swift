import FerryCore

/// The folders that clients of the gateway may put files into: who finds its secret writes nowhere else.
struct AllowedFolders: Sendable {
    private let folders: [String]

    init(_ folders: [String]) { self.folders = folders }

    /// The folder of transfers that name none.
    var usual: String { folders.first ?? "/nonexistent" }

    /// Whether a path is one of the folders or below it.
    func contain(_ path: String) -> Bool {
        guard Self.isPlain(path) else { return false }
        return folders.contains { folder in
            folder == "/" || path == folder || path.hasPrefix(folder + "/")
        }
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the folders that there are.
    func check(folder: String) throws(ServiceError) {
        guard !contain(folder) else { return }
        throw ServiceError(
            .invalidRequest,
            "The gateway puts no files into \(folder.escapingControls), but into \(named) and folders below; "
                + "`ferry gateway folders --add FOLDER` allows another one.")
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` for a name that leads out of its folder.
    func check(name: String) throws(ServiceError) {
        guard name.hasPrefix("/") || name.split(separator: "/", omittingEmptySubsequences: false).contains("..") else {
            return
        }
        throw ServiceError(
            .invalidRequest, "The name \(name.escapingControls) leads out of its folder; give a name below it.")
    }

    private var named: String {
        folders.prefix(8).map(\.escapingControls).joined(separator: ", ")
    }

    /// Whether a path is absolute, and no part of it leads up or is empty.
    static func isPlain(_ path: String) -> Bool {
        guard path.hasPrefix("/"), !path.hasControls else { return false }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        return !parts.contains("..") && !parts.contains(".") && (path == "/" || !path.hasSuffix("/"))
            && !path.contains("//")
    }
}
