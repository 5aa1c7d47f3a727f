package import FerryCore
import FerryFoundation

/// The paths of a user's daemon. Client and daemon find each other through them.
///
/// Follows the XDG Base Directory Specification: a variable counts as unset if it is empty or not an absolute path.
/// `FERRY_HOME` moves everything below one folder.
package struct FerryPaths: Hashable, Sendable {
    /// Holds the journal, the lock and the log.
    package let stateFolder: String
    /// Holds the socket.
    package let runtimeFolder: String

    package var socket: String { runtimeFolder + "/ferryd.sock" }
    package var lock: String { stateFolder + "/ferryd.lock" }
    package var log: String { stateFolder + "/ferryd.log" }

    /// Maximum length of a socket's path in bytes: `sun_path` without the terminating zero.
    package static let longestSocketPath = 107

    /// Determines the folders without creating them.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if `FERRY_HOME` is not an absolute path, no home folder
    ///   is known, or the socket's path exceeds the system's limit.
    package init(
        environment: [String: String], userID: UInt32, isFolder: (String) -> Bool = FerryPaths.isFolder
    ) throws(ServiceError) {
        if let home = environment["FERRY_HOME"], !home.isEmpty {
            guard home.hasPrefix("/") else {
                throw ServiceError(
                    .invalidRequest, "FERRY_HOME is “\(home.escapingControls)”; set it to an absolute path.")
            }
            let base = Self.trimmed(home)
            stateFolder = base + "/state"
            runtimeFolder = base + "/run"
        } else {
            let state = try Self.folder("XDG_STATE_HOME", ".local/state", environment)
            stateFolder = state + "/ferry"
            if let runtime = Self.absolute(environment["XDG_RUNTIME_DIR"]) {
                runtimeFolder = runtime + "/ferry"
            } else if isFolder("/run/user/\(userID)") {
                runtimeFolder = "/run/user/\(userID)/ferry"
            } else {
                runtimeFolder = stateFolder + "/run"
            }
        }
        guard socket.utf8.count <= Self.longestSocketPath else {
            let variable = environment["FERRY_HOME"].map { $0.isEmpty } ?? true ? "XDG_RUNTIME_DIR" : "FERRY_HOME"
            throw ServiceError(
                .invalidRequest,
                "The socket's path \(socket.escapingControls) has \(socket.utf8.count) bytes, and the system allows "
                    + "\(Self.longestSocketPath); set \(variable) to a folder with a shorter path.")
        }
    }

    /// Whether a folder exists at this path.
    package static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    private static func folder(
        _ variable: String, _ usual: String, _ environment: [String: String]
    ) throws(ServiceError) -> String {
        if let given = absolute(environment[variable]) { return given }
        guard let home = absolute(environment["HOME"]) ?? ThisProcess.userHome.flatMap(absolute) else {
            throw ServiceError(
                .invalidRequest,
                "No home folder is known: set FERRY_HOME to a folder that this user may write, or HOME.")
        }
        return home == "/" ? "/" + usual : home + "/" + usual
    }

    private static func absolute(_ path: String?) -> String? {
        guard let path, path.hasPrefix("/") else { return nil }
        return trimmed(path)
    }

    /// Returns the path without trailing slashes.
    private static func trimmed(_ path: String) -> String {
        var result = Substring(path)
        while result.count > 1, result.hasSuffix("/") { result.removeLast() }
        return String(result)
    }
}
