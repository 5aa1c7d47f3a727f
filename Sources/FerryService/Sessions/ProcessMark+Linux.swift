import FerryCore
import Foundation

/// Processes as Linux shows them.
extension ProcessMark {
    /// A process that is there and has not ended; nil if there is none of this number.
    static func of(_ process: Int32) -> ProcessMark? {
        guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let name = line.lastIndex(of: ")")
        else { return nil }
        // After the name in parentheses come fields 3 and on of proc(5); 22 is the time of the start.
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
