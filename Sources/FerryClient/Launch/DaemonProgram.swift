import FerryCore
import FerryFoundation

/// Finds the daemon's executable: `FERRYD`, then beside the running program, then `PATH`.
struct DaemonExecutable {
    var environment: [String: String]
    /// Absolute path of the running program, if it is known.
    var program: String?
    /// Why a file cannot be run, as the system's error number; nil for a program that can be.
    var refusal: (String) -> CInt?

    /// - Throws: ``ServiceError`` with code `daemon_unreachable`, naming every place that was looked at.
    func find() throws(ServiceError) -> String {
        if let named = environment["FERRYD"], !named.isEmpty {
            if let refusal = refusal(named) {
                throw ServiceError(
                    .daemonUnreachable,
                    "The daemon cannot be started: FERRYD is \(named.escapingControls), and that is no program that can be run.",
                    details: ErrorDetails(errno: refusal))
            }
            return named
        }
        var tried: [String] = []
        if let program, let slash = program.lastIndex(of: "/") { tried.append(program[..<slash] + "/ferryd") }
        tried += (environment["PATH"] ?? "").split(separator: ":").map { $0 + "/ferryd" }
        if let found = tried.first(where: { refusal($0) == nil }) { return found }
        let places = tried.map(\.escapingControls).joined(separator: ", ")
        throw ServiceError(
            .daemonUnreachable,
            "The daemon cannot be started: there is no ferryd at \(places.isEmpty ? "any known place" : places). "
                + "Install it, or set FERRYD to its path.",
            details: ErrorDetails(errno: ENOENT))
    }
}

extension ServiceError {
    /// Whether no daemon can be started before its user has changed something: to wait for one is in vain.
    package var preventsStart: Bool {
        code == .daemonUnreachable && [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(details.errno)
    }
}

/// The variables that a daemon gets from the client that starts it.
///
/// The daemon serves all programs of its user and outlives the one that starts it, so it gets what concerns the user, and
/// nothing that concerns that program's own requests: proxies and trust travel with each request (`CallerEnvironment`).
enum DaemonEnvironment {
    private static let names: Set = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS", "FERRYD",
    ]
    private static let prefixes = ["LC_", "XDG_", "FERRY_"]
    /// Variables of one app that the daemon has launched.
    private static let ofOneApp: Set = ["FERRY_APPLICATION_ID", "FERRY_BACKGROUND_SESSION"]

    static func of(_ variables: [String: String]) -> [String: String] {
        variables.filter { name, _ in
            !ofOneApp.contains(name) && (names.contains(name) || prefixes.contains { name.hasPrefix($0) })
        }
    }
}
