import FerryAPI
import FerryCore
@testable import FerryServer
import FerrySystem
import FerryTesting
import Foundation
import Logging
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The daemon` {
    private func daemon(_ folder: String, _ environment: [String: String] = [:], ready: Int32? = nil) throws -> Daemon {
        var environment = environment
        environment["FERRY_HOME"] = folder
        environment["FERRY_READY_FD"] = ready.map { String($0) }
        return try self.daemon(folder, environment, FakeService(), EndLimit())
    }

    private func daemon(
        _ folder: String, _ environment: [String: String], _ service: any HostedService, _ end: EndLimit
    ) throws -> Daemon {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return Daemon(
            paths: try FerryPaths(environment: environment, userID: geteuid()), environment: environment,
            logger: logger, ready: ReadyPipe(environment: environment), end: end, open: { _, _, _ in service })
    }

    /// A call on a hanging disk cannot be canceled, and a user who logs out cannot wait for it.
    @Test func `its process ends in time, whatever holds up a part`() async throws {
        try await withFolder { folder in
            let (ends, end) = AsyncStream<Int32>.makeStream()
            var limit = EndLimit()
            limit.seconds = 0
            limit.abandon = { end.yield($0) }
            let (held, letEnd) = AsyncStream.makeStream(of: Void.self)
            let service = FakeService { $0.answers.end = held }
            let pipe = Pipe()
            let descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
            try pipe.fileHandleForWriting.close()
            let environment = ["FERRY_HOME": folder, "FERRY_READY_FD": String(descriptor)]
            let daemon = try daemon(folder, environment, service, limit)
            async let running: Void = daemon.run(signals: [])
            _ = try await offPool { [reading = pipe.fileHandleForReading] in try reading.readToEnd() }
            let client = SocketClient(path: folder + "/run/ferryd.sock")
            _ = try await client.send("POST", "/v1/stop")
            for await status in ends {
                #expect(status == 0)
                break
            }
            letEnd.yield()
            try await running
        }
    }

    @Test func `it says when it is ready, a second one is refused, and a client ends it`() async throws {
        try await withFolder { folder in
            let pipe = Pipe()
            let descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
            try pipe.fileHandleForWriting.close()
            let first = try daemon(folder, ready: descriptor)
            async let running: Void = first.run(signals: [])
            // Ends after this line, because the daemon closes its side.
            let line = try await offPool { [reading = pipe.fileHandleForReading] in try reading.readToEnd() }
            #expect(line == Data("ready\n".utf8))

            let second = try daemon(folder)
            let failure = await #expect(throws: DaemonFailure.self) { try await second.run(signals: []) }
            #expect(failure?.exitStatus == DaemonFailure.runsAlready)

            let client = SocketClient(path: folder + "/run/ferryd.sock")
            let response = try await client.send("POST", "/v1/stop")
            #expect(response.status == 202)
            #expect(try response.value(StopDaemon.Response.self).pid == getpid())
            try await running
            #expect(!FileManager.default.fileExists(atPath: folder + "/run/ferryd.sock"))
        }
    }

    @Test func `a start that fails says why on the pipe`() throws {
        let pipe = Pipe()
        let descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        let ready = ReadyPipe(environment: ["FERRY_READY_FD": String(descriptor)])
        ready.failed(ServiceError(.journalFailed, "It is\nbroken."))
        ready.ready()
        let line = try pipe.fileHandleForReading.readToEnd()
        #expect(line == Data("error journal_failed It is\\u{a}broken.\n".utf8))
    }

    @Test func `the kill seam waits for its step and its time`() throws {
        let seam = try CrashPoint(environment: ["FERRY_KILL_AT": "renamed:2"])
        #expect(!seam.isDue(.folderSynced))
        #expect(!seam.isDue(.renamed))
        #expect(seam.isDue(.renamed))
        #expect(try !CrashPoint(environment: [:]).isDue(.renamed))
    }

    @Test(arguments: ["lunch", "renamed:0", "renamed:x", ":"])
    func `a kill seam that names nothing is refused`(text: String) {
        #expect(throws: ServiceError.self) { try CrashPoint(environment: ["FERRY_KILL_AT": text]) }
    }

    @Test(arguments: [("--version", 0), ("--help", 0), ("--fly", 64)] as [(String, Int32)])
    func `flags have their exit statuses`(flag: String, status: Int32) async {
        let exit = await Daemon.main(
            arguments: ["ferryd", flag], environment: [:], open: { _, _, _ in FakeService() })
        #expect(exit == status)
    }

    @Test func `a start that fails keeps the code of its reason`() async throws {
        try await withFolder { folder in
            let wrong = try daemon(folder, ["FERRY_KILL_AT": "lunch"])
            let failure = await #expect(throws: DaemonFailure.self) { try await wrong.run(signals: []) }
            #expect(failure?.error.code == .invalidRequest)
            #expect(failure?.exitStatus == 64)
        }
        #expect(DaemonFailure(cause: CancellationError()).error.code == .internal)
        #expect(DaemonFailure(ServiceError(.journalFailed, "Broken.")).exitStatus == 1)
    }

    @Test func `L9 the limit of open files is raised to its hard value`() throws {
        try OpenFiles.raise()
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(limit.rlim_cur == limit.rlim_max)
    }

    /// Each event loop for connections and each for the control socket needs three files.
    @Test(arguments: [(1, 70), (2, 76), (4, 88), (64, 268)])
    func `a machine with more processors needs more open files`(cores: Int, least: Int) {
        #expect(OpenFiles.least(cores: cores) == least)
    }
}
