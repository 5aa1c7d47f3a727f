import FerryCore
import FerryFoundation

/// Finds the daemon's executable: `FERRYD`, then beside the running program, then `PATH`.
struct DaemonExecutable {
    var environment: [String: String]
    /// Absolute path of the running program, if known.
    var program: String?
    /// Returns why a file cannot be run, as the system's error number, or `nil` for an executable program.
    var refusal: (String) -> CInt?

    /// - Throws: ``ServiceError`` with code `daemon_unreachable`, naming every searched path.
    func find() throws(ServiceError) -> String {
        if let named = environment["FERRYD"], !named.isEmpty {
            if let refusal = refusal(named) {
                throw ServiceError(
                    .daemonUnreachable,
                    "The daemon cannot be started: FERRYD is \(named.escapingControls), which is not an executable program.",
                    details: ErrorDetails(errno: refusal))
            }
            return named
        }
        var tried: [String] = []
        if let program, let slash = program.lastIndex(of: "/") { tried.append(program[..<slash] + "/ferryd") }
        tried += (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/ferryd" }
        if let found = tried.first(where: { refusal($0) == nil }) { return found }
        // A file that is there, and cannot be run, is worth a look.
        let places = tried.map { path in
            path.escapingControls + (refusal(path) == EACCES ? " (not executable)" : "")
        }.joined(separator: ", ")
        throw ServiceError(
            .daemonUnreachable,
            "The daemon cannot be started: there is no ferryd at \(places.isEmpty ? "any known place" : places). "
                + "Install it, or set FERRYD to its path.",
            details: ErrorDetails(errno: ENOENT))
    }
}

extension ServiceError {
    /// Whether no daemon can start until the user changes something, so that waiting is useless.
    package var preventsStart: Bool {
        code == .daemonUnreachable && [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(details.errno)
    }
}

/// The environment variables that a daemon gets from the client that starts it.
///
/// The daemon serves all programs of its user and outlives the one that starts it. It gets variables that concern the
/// user, and none that concern the requests of that program: proxies and trust travel with each request
/// (`CallerEnvironment`).
enum DaemonEnvironment {
    private static let names: Set = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS", "FERRYD",
    ]
    private static let prefixes = ["LC_", "XDG_", "FERRY_"]
    /// Variables of one app launched by the daemon.
    private static let ofOneApp: Set = ["FERRY_APPLICATION_ID", "FERRY_BACKGROUND_SESSION"]

    static func of(_ variables: [String: String]) -> [String: String] {
        variables.filter { name, _ in
            !ofOneApp.contains(name) && (names.contains(name) || prefixes.contains { name.hasPrefix($0) })
        }
    }
}
