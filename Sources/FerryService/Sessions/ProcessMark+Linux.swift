import FerryCore
import Foundation

/// Identifying processes through `/proc`.
extension ProcessMark {
    /// Returns a running process, or `nil` if none has this id.
    static func of(_ process: Int32) -> ProcessMark? {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else { return nil }
        // Fields 3 and later of proc(5) follow the name in parentheses. Field 22 is the start time.
        let fields = line[line.index(after: name)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let started = UInt64(fields[19]) else {
            return nil
        }
        return ProcessMark(process: process, started: started, boot: boot)
    }

    /// Whether the process lives.
    var isAlive: Bool { Self.of(process) == self }

    private static let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
