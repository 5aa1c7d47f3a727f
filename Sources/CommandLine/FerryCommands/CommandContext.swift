package import FerryClient
package import FerryCore
package import FerryFoundation
package import FerrySystem
import Synchronization

/// The environment of a command: everything outside its own options.
package struct CommandContext: Sendable {
    package var console: any Console
    package var environment: [String: String]
    /// Absolute path of the current folder. Empty if it was removed.
    package var currentFolder: String
    /// The umask of new files.
    package var umask: FileMask
    package var now: @Sendable () -> Date = { Date() }
    /// Whether transfers get the credentials of `~/.netrc`.
    package var usesNetrc = true
    /// Starts a desktop program. Returns whether it was started.
    package var launch: @Sendable ([String]) -> Bool = ProgramLaunch.start
    /// Runs a program without input, and returns its end and its output. Blocks.
    package var runProgram: @Sendable ([String]) -> ProgramRun
    private let access: LazyDaemon
    private let remarks: Remarks

    package init(
        console: any Console, environment: [String: String], currentFolder: String, umask: FileMask = .usual,
        daemon: @escaping @Sendable () throws -> any DaemonAccess
    ) {
        self.init(Remarks(console), console, environment, currentFolder, umask, daemon)
    }

    private init(
        _ remarks: Remarks, _ console: any Console, _ environment: [String: String], _ currentFolder: String,
        _ umask: FileMask, _ daemon: @escaping @Sendable () throws -> any DaemonAccess
    ) {
        self.remarks = remarks
        self.console = console
        self.environment = environment
        self.currentFolder = currentFolder
        self.umask = umask
        runProgram = { [environment] in ProgramRun.of($0, environment: environment) }
        access = LazyDaemon(daemon)
    }

    /// The context of this process.
    package static func system() -> CommandContext {
        let environment = ThisProcess.environment
        let console = SystemConsole()
        let remarks = Remarks(console)
        return CommandContext(remarks, console, environment, ThisProcess.currentFolder ?? "", .ofProcess) {
            var configuration = try ClientConfiguration(environment: environment)
            configuration.patience = Patience(notify: remarks.say)
            return LocalDaemon(configuration)
        }
    }

    /// Returns the daemon. Connects at first use.
    func daemon() throws -> any DaemonAccess { try access.get() }

    func service() throws -> any SessionService { try access.get().service }

    package func close() async { await access.close() }

    /// Prints a remark about the daemon, once.
    func remark(_ sentence: String) { remarks.say(sentence) }

    /// The user's home, or nil if the environment does not name one.
    var home: String? { environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    var typedPath: TypedPath {
        TypedPath(currentFolder: currentFolder, home: home, resolvingLinks: ThisProcess.realPath)
    }

    /// The attributes of a file to upload, or nil if it is not a regular file.
    func sentFile(_ typed: String) throws -> RequestBody.SentFile? {
        let path = try typedPath.folder(typed)
        var facts = stat()
        guard path.withPath({ unsafe stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let modified = Int64(seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
        return RequestBody.SentFile(
            path: path, size: Int64(facts.st_size), modified: modified, inode: UInt64(facts.st_ino),
            changed: Int64(seconds: facts.st_ctim.tv_sec, nanoseconds: facts.st_ctim.tv_nsec))
    }

    func palette(_ stream: ConsoleStream) -> Palette {
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return Palette(isOn: isWanted && console.isTerminal(stream))
    }
}

/// Prints each remark about the daemon once, since several calls of a command may cause the same.
private final class Remarks: Sendable {
    private let console: any Console
    private let said = Mutex<Set<String>>([])

    init(_ console: any Console) { self.console = console }

    func say(_ sentence: String) {
        guard said.withLock({ $0.insert(sentence).inserted }) else { return }
        console.say("ferry: " + sentence.escapingControls)
    }
}

/// Connects to the daemon at first use.
private final class LazyDaemon: Sendable {
    private let make: @Sendable () throws -> any DaemonAccess
    private let made = Mutex<(any DaemonAccess)?>(nil)

    init(_ make: @escaping @Sendable () throws -> any DaemonAccess) { self.make = make }

    func get() throws -> any DaemonAccess {
        try made.withLock { made in
            if let made { return made }
            let daemon = try make()
            made = daemon
            return daemon
        }
    }

    func close() async { await made.withLock { $0 }?.close() }
}
