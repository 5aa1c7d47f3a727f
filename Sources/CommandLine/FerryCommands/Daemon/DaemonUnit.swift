import FerryCore
import FerryFoundation
import FerrySystem

/// The daemon's unit for the systemd of its user.
struct DaemonUnit {
    static let name = "ferryd.service"

    /// The file's text.
    ///
    /// - Parameter program: The daemon's program, as systemd expands it.
    static func text(program: String) -> String {
        """
        # User unit of Ferry's daemon: ferry daemon enable
        #
        # Two things inherit these restrictions: downloads, which may go to any folder that the user can write to, and
        # apps that the daemon launches for their background sessions, which may do all that the user may. So no option
        # here removes a right that an ordinary user has. Machines whose users have no such apps can add ferryd-strict.conf
        # (see that drop-in).
        [Unit]
        Description=Ferry download daemon

        [Service]
        Type=notify
        ExecStart=\(program)
        Restart=on-failure
        RestartSec=1
        # The daemon stops its transfers and makes their bytes durable within ten seconds.
        TimeoutStopSec=20

        # An exploit in a download cannot gain rights through set-user-ID programs, nor regain any capability.
        # CapabilityBoundingSet= would need a capability that the user's manager does not have.
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        # Blocks calls of administrative programs, and calls of other processor architectures.
        SystemCallArchitectures=native
        SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap
        SystemCallErrorNumber=EPERM
        # The daemon uses less than 60 MB at rest and at most some hundreds at work. With the limit, a fault ends the daemon
        # and not the session. Launched apps have their own scopes. The kernel reclaims cached file pages before the limit
        # applies.
        MemoryMax=2G
        TasksMax=4096
        # No UMask=: the daemon uses 077 for its own files, and the user manager's umask for requests without a umask.

        [Install]
        WantedBy=default.target

        """
    }

    /// The folder of units that the user has written (systemd.unit(5)).
    let folder: String

    /// - Throws: ``ServiceError`` if the user has no home.
    init(_ context: CommandContext) throws(ServiceError) {
        let given = context.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let configuration = given ?? context.home.map({ $0 + "/.config" }) else {
            throw ServiceError(.invalidRequest, "HOME is not set, so there is no place for the daemon's unit.")
        }
        folder = configuration + "/systemd/user"
    }

    var path: String { folder + "/" + Self.name }

    /// A unit that a package has installed.
    static func installed() -> String? {
        ["/etc/systemd/user/", "/usr/local/lib/systemd/user/", "/usr/lib/systemd/user/"].map { $0 + name }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    /// A path as one word of a unit. systemd expands %, and splits unquoted words.
    static func quoted(_ program: String) -> String {
        let text = program.replacing("%", with: "%%").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(text)\""
    }

    /// Writes the unit of the user, unless the user has one of its own.
    ///
    /// - Returns: Whether it was written.
    /// - Throws: ``ServiceError`` if it cannot be written.
    func write(program: String) throws(ServiceError) -> Bool {
        guard !FileManager.default.fileExists(atPath: path) || isWrittenByFerry else { return false }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(Self.text(program: Self.quoted(program)).utf8).write(
                to: URL(fileURLWithPath: path), options: .atomic)
            return true
        } catch {
            throw ServiceError(.destinationUnwritable, "\(path.escapingControls) cannot be written: \(error).")
        }
    }

    /// Removes the unit of the user, if `ferry daemon enable` has written it.
    ///
    /// - Returns: Whether there was one.
    func remove() -> Bool { isWrittenByFerry && (try? FileManager.default.removeItem(atPath: path)) != nil }

    /// Whether the unit is as `ferry daemon enable` writes it, for any program: the user has not changed it.
    private var isWrittenByFerry: Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        let program = text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") }?.dropFirst("ExecStart=".count)
        return program.map { text == Self.text(program: String($0)) } ?? false
    }
}

/// The systemd of the user.
struct UserManager {
    let context: CommandContext

    /// - Throws: ``ServiceError`` if systemd does not run for the user.
    init(_ context: CommandContext) throws(ServiceError) {
        self.context = context
        let run = context.runProgram(["systemctl", "--user", "show-environment"])
        guard !run.succeeded else { return }
        let cause = run.firstLine.map { " (\($0.escapingControls))" } ?? ""
        throw ServiceError(
            .daemonUnreachable,
            "systemd does not run for this user\(cause). Without it, let cron start the daemon with the machine: add the "
                + "line “@reboot ferry daemon start” with crontab -e.")
    }

    /// - Throws: ``ServiceError`` with what systemctl says.
    func call(_ words: String...) throws(ServiceError) {
        let run = context.runProgram(["systemctl", "--user"] + words)
        guard !run.succeeded else { return }
        let cause = run.firstLine?.escapingControls ?? "it failed"
        throw ServiceError(.daemonUnreachable, "systemctl --user \(words.joined(separator: " ")): \(cause)")
    }

    /// Whether systemd runs the daemon.
    static func runsDaemon(in context: CommandContext) -> Bool {
        context.runProgram(["systemctl", "--user", "--quiet", "is-active", DaemonUnit.name]).succeeded
    }
}
