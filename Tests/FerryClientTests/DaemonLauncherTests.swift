// Ferry: FerryClientTests
// The daemon is found, started and understood.

import FerryAPI
import FerryCore
import Foundation
import Glibc
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `Launcher` {
    private func find(_ environment: [String: String], program: String? = "/opt/bin/ferry", has: String...) throws
        -> String
    {
        try DaemonExecutable(environment: environment, program: program) { has.contains($0) }.find()
    }

    @Test func `FERRYD comes first, then the program's own folder, then PATH`() throws {
        let path = ["PATH": "/bin:/usr/bin"]
        #expect(try find(["FERRYD": "/x/ferryd"], has: "/x/ferryd", "/opt/bin/ferryd") == "/x/ferryd")
        #expect(try find(path, has: "/opt/bin/ferryd", "/bin/ferryd") == "/opt/bin/ferryd")
        #expect(try find(path, has: "/usr/bin/ferryd") == "/usr/bin/ferryd")
    }

    @Test func `what was tried is named`() throws {
        let error = #expect(throws: TransferError.self) { try find(["PATH": "/bin"]) }
        #expect(error?.code == .daemonUnreachable)
        #expect(error?.message.contains("/opt/bin/ferryd, /bin/ferryd") == true)
        let named = #expect(throws: TransferError.self) { try find(["FERRYD": "/gone"], has: "/opt/bin/ferryd") }
        #expect(named?.message.contains("FERRYD is /gone") == true)
    }

    @Test(
        arguments: [
            ("ready", .ready), ("", .silent), ("nonsense", .silent),
            ("error disk_full No room.", .refused(TransferError(.diskFull, "No room."))),
            ("error new_word Odd.", .refused(TransferError(.daemonUnreachable, "Odd."))),
        ] as [(String, ReadinessReport)])
    func `the daemon's line is understood`(line: String, report: ReadinessReport) {
        #expect(ReadinessReport(line: line) == report)
    }

    /// Makes a folder with a program that stands for a daemon.
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
            let error = await #expect(throws: TransferError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .daemonUnreachable)
            #expect(error?.message.contains("no luck") == true)
            #expect(error?.message.contains(configuration.paths.log) == true)
        }
    }

    @Test func `the reason that a daemon gives is the error`() async throws {
        try await withProgram("echo error journal_failed Broken. >&$FERRY_READY_FD") { configuration in
            let service = RemoteTransferService(configuration)
            let error = await #expect(throws: TransferError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .journalFailed)
            #expect(error?.message == "Broken.")
        }
    }

    /// Starts the program that a configuration names, and takes in that it is ready.
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
            "ls /proc/$$/fd | tr '\\n' ' ' >\"$FERRY_HOME/fds\"; cut -d' ' -f1,6 /proc/$$/stat >\"$FERRY_HOME/ids\"; echo ready >&3"
        ) { configuration in
            let spare = unsafe open("/dev/null", O_RDONLY)
            defer { close(spare) }
            try spawn(configuration)
            let home = try #require(configuration.environment["FERRY_HOME"])
            let open = try String(contentsOfFile: home + "/fds", encoding: .utf8).split(separator: " ")
            // 10 is the shell's own, for the script.
            #expect(Set(open).subtracting(["10", "255"]) == ["0", "1", "2", "3"])
            let ids = try String(contentsOfFile: home + "/ids", encoding: .utf8).split(whereSeparator: \.isWhitespace)
            #expect(ids.first == ids.last)
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
        // Not by `close` alone: a program that another test is just starting may still share the descriptor.
        flock(file, LOCK_UN)
        close(file)
        #expect(!DaemonProcess.isLocked(path))
    }

    @Test func `nobody is started by a client that may not`() async throws {
        try await withProgram("touch \"$FERRY_HOME/started\"") { configuration in
            var passive = configuration
            passive.startsDaemon = false
            let service = RemoteTransferService(passive)
            let error = await #expect(throws: TransferError.self) { try await service.status() }
            await service.shutdown()
            #expect(error?.code == .daemonUnreachable)
            #expect(
                !FileManager.default.fileExists(atPath: (configuration.environment["FERRY_HOME"] ?? "") + "/started"))
        }
    }
}
