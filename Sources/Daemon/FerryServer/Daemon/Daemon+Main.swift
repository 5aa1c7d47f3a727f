import FerryAPI
import FerryCore
import FerrySystem
import Foundation
import Logging

/// The command line of ferryd.
extension Daemon {
    /// Runs the whole program and returns its exit status.
    package static func main(arguments: [String], environment: [String: String], open: @escaping Opening) async -> Int32
    {
        switch arguments.dropFirst().first {
        case nil: return await start(environment, open)
        case "--version":
            return show("ferryd \(FerryVersion.current)")
        case "--help", "-h":
            return show(help)
        case let other?:
            complain("ferryd takes no argument “\(other.escapingControls)”; see ferryd --help.")
            return ErrorCode.invalidRequest.row.exitStatus
        }
    }

    /// Prints a text, and returns the exit status.
    private static func show(_ text: String) -> Int32 {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
            return 0
        } catch {
            complain("Standard output cannot be written.")
            return ErrorCode.diskIO.row.exitStatus
        }
    }

    private static func start(_ environment: [String: String], _ open: @escaping Opening) async -> Int32 {
        let ready = ReadyPipe(environment: environment)
        do throws(DaemonFailure) {
            let paths: FerryPaths
            do throws(ServiceError) {
                try ProcessSetup.apply()
                paths = try FerryPaths(environment: environment, userID: geteuid())
            } catch { throw DaemonFailure(error) }
            var end = EndLimit()
            let output = LogOutput(descriptor: STDERR_FILENO, path: paths.log)
            defer { output.flush() }
            end.abandon = { status in
                output.flush()
                _exit(status)
            }
            let daemon = Daemon(
                paths: paths, environment: environment, logger: logger(environment, output), ready: ready, end: end,
                open: open)
            try await daemon.run()
            return 0
        } catch {
            ready.failed(error.error)
            complain(error.error.message)
            return error.exitStatus
        }
    }

    private static func logger(_ environment: [String: String], _ output: LogOutput) -> Logger {
        var logger = Logger(label: "ferryd") { _ in DaemonLogHandler(output: output) }
        logger.logLevel = environment["FERRY_LOG_LEVEL"].flatMap { Logger.Level(rawValue: $0.lowercased()) } ?? .notice
        return logger
    }

    static func complain(_ sentence: String) {
        // Foundation's call would crash the process if the log's disk is full.
        var line = "ferryd: \(sentence)\n"
        _ = line.withUTF8 { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    static let help = """
        ferryd runs transfers for the programs of one user. The first client starts it; it needs no arguments.

        USAGE: ferryd [--version] [--help]

        ENVIRONMENT:
          FERRY_HOME          one folder for state, socket and settings
          FERRY_LOG_LEVEL     trace, debug, info, notice, warning, error or critical (default: notice)
          FERRY_CONDITIONS_FILE
                              a JSON file with network and power conditions instead of the machine's
          FERRY_RELAUNCH_DELAY
                              seconds that transfers wait which an app makes in the background (default: 60)

        EXIT STATUS:
          0   ended by SIGTERM, SIGINT or a client
          \(ErrorExit.daemon.rawValue)  cannot start
          \(ErrorExit.usage.rawValue)  wrong argument or environment
          \(DaemonFailure.runsAlready)  another ferryd runs already
          \(ErrorExit.own.rawValue)   a part that the daemon needs failed
        """
}
