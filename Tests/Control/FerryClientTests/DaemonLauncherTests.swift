import FerryAPI
import FerryCore
import FerrySystem
import FerryTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `Launcher` {
    private func find(_ environment: [String: String], program: String? = "/opt/bin/ferry", has: String...) throws
        -> String
    {
        try DaemonExecutable(environment: environment, program: program) { has.contains($0) ? nil : ENOENT }.find()
    }

    @Test func `FERRYD comes first, then the program's own folder, then PATH`() throws {
        let path = ["PATH": "/bin:/usr/bin"]
        #expect(try find(["FERRYD": "/x/ferryd"], has: "/x/ferryd", "/opt/bin/ferryd") == "/x/ferryd")
        #expect(try find(path, has: "/opt/bin/ferryd", "/bin/ferryd") == "/opt/bin/ferryd")
        #expect(try find(path, has: "/usr/bin/ferryd") == "/usr/bin/ferryd")
    }

    @Test func `attempted paths are named`() throws {
        let error = #expect(throws: ServiceError.self) { try find(["PATH": "/bin"]) }
        #expect(error?.code == .daemonUnreachable)
        #expect(error?.message.contains("/opt/bin/ferryd, /bin/ferryd") == true)
        let named = #expect(throws: ServiceError.self) { try find(["FERRYD": "/gone"], has: "/opt/bin/ferryd") }
        #expect(named?.message.contains("FERRYD is /gone") == true)
        #expect(error?.preventsStart == true && named?.preventsStart == true)
    }

    @Test func `a file that cannot be run is refused as the system does it`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.file("ferryd")
            #expect(DaemonProcess.refusal(file) == ENOENT && DaemonProcess.refusal(folder.path) == EACCES)
            #expect(FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]))
            #expect(DaemonProcess.refusal(file) == EACCES && DaemonProcess.refusal(file + "/x") == ENOTDIR)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
            #expect(DaemonProcess.refusal(file) == nil)
            let error = #expect(throws: ServiceError.self) {
                try DaemonExecutable(environment: ["FERRYD": folder.path], refusal: DaemonProcess.refusal).find()
            }
            #expect(error?.details.errno == EACCES && error?.preventsStart == true)
        }
    }

    @Test(
        arguments: [
            ("ready", .ready), ("", .silent), ("nonsense", .silent),
            ("error disk_full No room.", .refused(ServiceError(.diskFull, "No room."))),
            ("error new_word Odd.", .refused(ServiceError(.daemonUnreachable, "Odd."))),
        ] as [(String, ReadinessReport)])
    func `the daemon's line is understood`(line: String, report: ReadinessReport) {
        #expect(ReadinessReport(line: line) == report)
    }

    /// Creates a folder with a program that stands in for the daemon.
    private func withProgram(_ script: String, _ body: (ClientConfiguration) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "fc-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appendingPathComponent("ferryd").path
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let environment = ["FERRY_HOME": folder.path, "FERRYD": program, "PATH": "/usr/bin:/bin"]
        try await body(ClientConfiguration(environment: environment))
    }

    @Test func `a daemon that ends at once is an error with the end of its log`() async throws {
        try await withProgram("echo no luck >&2; exit 1") { configuration in
            let service = RemoteTransferService(configuration)
            let error = await #expect(throws: ServiceError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .daemonUnreachable)
            #expect(error?.message.contains("no luck") == true)
            #expect(error?.message.contains(configuration.paths.log) == true)
        }
    }

    @Test func `the reason that a daemon gives is the error`() async throws {
        try await withProgram("echo error journal_failed Broken. >&$FERRY_READY_FD") { configuration in
            let service = RemoteTransferService(configuration)
            let error = await #expect(throws: ServiceError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .journalFailed)
            #expect(error?.message == "Broken.")
        }
    }

    /// Starts the configured program and accepts its readiness message.
    @discardableResult
    private func spawn(_ configuration: ClientConfiguration) throws -> DaemonProcess {
        try FileManager.default.createDirectory(
            atPath: configuration.paths.stateFolder, withIntermediateDirectories: true)
        let process = try DaemonProcess.spawn(
            try #require(configuration.environment["FERRYD"]), environment: configuration.environment,
            log: configuration.paths.log)
        #expect(process.report(until: .now + .seconds(30)) == .ready)
        return process
    }

    @Test func `a daemon has a session of its own and only the descriptors that it needs`() async throws {
        try await withProgram(
            "ls /proc/$$/fd >\"$FERRY_HOME/fds\"; cut -d' ' -f1,6 /proc/$$/stat >\"$FERRY_HOME/ids\"; echo ready >&3"
        ) { configuration in
            let null = unsafe open("/dev/null", O_RDONLY)
            // A number that the shell does not use for itself.
            let spare = fcntl(null, F_DUPFD, 100)
            defer { for file in [null, spare] { close(file) } }
            try spawn(configuration)
            let home = try #require(configuration.environment["FERRY_HOME"])
            let open = try String(contentsOfFile: home + "/fds", encoding: .utf8).split(whereSeparator: \.isWhitespace)
            #expect(Set(open).isSuperset(of: ["0", "1", "2", "3"]))
            #expect(!open.contains("\(spare)"), "\(open)")
            let ids = try String(contentsOfFile: home + "/ids", encoding: .utf8).split(whereSeparator: \.isWhitespace)
            #expect(ids.first == ids.last)
        }
    }

    enum Obstacle: CaseIterable { case pipe, link, folder, linkedFolder }

    /// Opening a named pipe would block the start until a process reads it.
    @Test(arguments: Obstacle.allCases)
    func `a log path that is no file prevents a start of the daemon`(obstacle: Obstacle) async throws {
        try await withProgram("echo ready >&3") { configuration in
            let (state, log) = (configuration.paths.stateFolder, configuration.paths.log)
            let elsewhere = state + "-elsewhere"
            let made = obstacle == .linkedFolder ? elsewhere : state
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
            switch obstacle {
            case .pipe: #expect(unsafe mkfifo(log, 0o600) == 0)
            case .link: #expect(unsafe symlink(elsewhere, log) == 0)
            case .folder: #expect(unsafe mkdir(log, 0o700) == 0)
            case .linkedFolder: #expect(unsafe symlink(elsewhere, state) == 0)
            }
            let service = RemoteTransferService(configuration)
            let error = await #expect(throws: ServiceError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .daemonUnreachable && error?.message.contains("move it away") == true)
            #expect(LogTail.lines(of: log, count: 5) == nil)
            let found = (try? FileManager.default.contentsOfDirectory(atPath: elsewhere)) ?? []
            #expect(found.isEmpty)
        }
    }

    /// The environment of the program that starts the daemon must not determine everyone's proxies and trust roots.
    @Test func `a daemon gets nothing of the requests of the client that starts it`() async throws {
        try await withProgram("env >\"$FERRY_HOME/variables\"; echo ready >&3") { configuration in
            var busy = configuration
            let own = ["http_proxy", "HTTPS_PROXY", "SSL_CERT_FILE", "FERRY_BACKGROUND_SESSION", "TMPDIR"]
            for name in own { busy.environment[name] = "/nonexistent" }
            let wanted = ["HOME": "/h", "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C", "FERRY_LOG_LEVEL": "debug"]
            busy.environment.merge(wanted) { $1 }
            try spawn(busy)
            let home = try #require(configuration.environment["FERRY_HOME"])
            let lines = try String(contentsOfFile: home + "/variables", encoding: .utf8).split(separator: "\n")
            for name in own { #expect(!lines.contains { $0.hasPrefix(name + "=") }, "\(name)") }
            for (name, value) in wanted { #expect(lines.contains("\(name)=\(value)")) }
        }
    }

    @Test func `a daemon that ends is no zombie in the process that started it`() async throws {
        try await withProgram("echo ready >&3") { configuration in
            let process = try spawn(configuration)
            // A zombie can be signaled too.
            while kill(process.pid, 0) == 0 { await Task.yield() }
            #expect(errno == ESRCH)
        }
    }

    @Test func `a lock is seen without being tried`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lock-\(UInt64.random(in: 0 ... .max))"
        ).path
        defer { unsafe unlink(path) }
        #expect(!DaemonProcess.isLocked(path))
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(!DaemonProcess.isLocked(path))
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        #expect(DaemonProcess.isLocked(path))
        // The process id in the file counts only if the system's lock table has it too.
        #expect(DaemonProcess.lockHolder(path) == nil)
        for (text, holder) in [("2147483647\n", nil), ("\(getpid())\n", getpid())] as [(String, pid_t?)] {
            ftruncate(file, 0)
            let written = unsafe pwrite(file, text, text.utf8.count, 0)
            #expect(written == text.utf8.count)
            #expect(DaemonProcess.lockHolder(path) == holder)
        }
        // `close` is not enough: a program that another test is starting may still share the descriptor.
        flock(file, LOCK_UN)
        close(file)
        #expect(!DaemonProcess.isLocked(path))
        #expect(DaemonProcess.lockHolder(path) == nil)
    }

    @Test func `a daemon that runs without a socket is named by its lock, and stopped`() async throws {
        let script = """
            exec flock -n -F "$FERRY_HOME/state/ferryd.lock" \\
                sh -c 'echo $$ >"$FERRY_HOME/state/ferryd.lock"; echo ready >&3; exec sleep 3600'
            """
        try await withProgram(script) { configuration in
            let process = try spawn(configuration)
            defer { kill(process.pid, SIGKILL) }
            let daemon = LocalDaemon(configuration, socketLimit: .zero)
            let error = await #expect(throws: ServiceError.self) { try await daemon.statusIfRunning() }
            #expect(error?.code == .daemonUnreachable)
            #expect(error?.message.contains("runs as process \(process.pid), and no client can reach it") == true)
            #expect(try await daemon.stop())
            #expect(!DaemonProcess.isAlive(process.pid))
            #expect(try await daemon.statusIfRunning() == nil)
            await daemon.close()
        }
    }

    /// Without this message, a damaged journal that was set aside would only show as an empty list.
    @Test func `warnings of a daemon's start are printed by the command that started it`() async throws {
        try await withProgram("echo ready >&3") { configuration in
            let told = Mutex<[String]>([])
            var configuration = configuration
            configuration.patience = Patience { sentence in told.withLock { $0.append(sentence) } }
            try FileManager.default.createDirectory(
                atPath: configuration.paths.runtimeFolder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            func answer(_ body: String) -> ScriptedSocket.Step {
                .answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
            let status =
                #"{"version":"0.1.0","pid":1,"started_at":"2026-01-31T12:00:00.000Z","transfers":{},"last_event":0,"#
                + #""warnings":["The journal was damaged."]}"#
            let socket = ScriptedSocket(
                [
                    .hangUp, .hangUp, answer(#"{"version":"0.1.0","api":\#(APIVersion.current)}"#), answer(status),
                    answer("[]"),
                ], at: configuration.paths.socket)
            defer { socket.stop() }
            let service = RemoteTransferService(configuration)
            let sessions = try await service.sessions()
            await service.shutdown()
            #expect(sessions.isEmpty)
            #expect(told.withLock { $0 } == ["Warning: The journal was damaged."])
        }
    }

    @Test func `a client that may not start a daemon starts none`() async throws {
        try await withProgram("touch \"$FERRY_HOME/started\"") { configuration in
            var passive = configuration
            passive.startsDaemon = false
            let service = RemoteTransferService(passive)
            let error = await #expect(throws: ServiceError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .daemonUnreachable)
            #expect(
                !FileManager.default.fileExists(atPath: (configuration.environment["FERRY_HOME"] ?? "") + "/started"))
        }
    }
}
