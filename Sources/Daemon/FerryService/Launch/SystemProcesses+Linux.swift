import CFerrySystem
package import FerryCore
import FerryEngine
import Foundation

/// The processes of this machine.
package struct SystemProcesses: ProcessHost {
    package init() {}

    /// Reads `/proc`.
    package func mark(of process: Int32) -> ProcessMark? {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else { return nil }
        // Fields 3 and later of proc(5) follow the name in parentheses. Field 22 is the start time.
        let fields = line[line.index(after: name)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let started = UInt64(fields[19]) else {
            return nil
        }
        return ProcessMark(process: process, started: started, boot: Self.boot)
    }

    private static let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""

    package func start(_ program: ProgramStart) throws(ServiceError) -> Int32 {
        var process: pid_t = 0
        let status = unsafe withCStrings(program.arguments) { arguments in
            unsafe withCStrings(program.environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe ferry_spawn(&process, arguments, variables, program.folder, program.umask.bits)
            }
        }
        guard status == 0 else {
            throw ServiceError(
                .invalidRequest,
                "\(program.arguments[0].escapingControls) cannot be started: \(unsafe String(cString: strerror(status))).",
                details: ErrorDetails(errno: status))
        }
        return process
    }

    package func watch(_ process: Int32, ended: @escaping @Sendable (Int32) -> Void) {
        // Blocks as long as the app runs.
        let isWatched = BlockingThread.start {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            ended(process)
        }
        guard !isWatched else { return }
        // No thread is available: poll the process instead.
        Task(name: "end of process \(process)") {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, WNOHANG) == 0 { try? await SystemClock().sleep(for: .seconds(1)) }
            ended(process)
        }
    }
}
