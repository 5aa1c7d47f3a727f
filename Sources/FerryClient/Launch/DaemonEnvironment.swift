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
