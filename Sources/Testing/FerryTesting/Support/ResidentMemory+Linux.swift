import Foundation

/// The growth of the process's resident memory since this value was created, as counted by the kernel.
package struct ResidentMemory: Sendable {
    private let start: Int
    private let counter: String

    package init() {
        // Resets the kernel's peak count (proc_pid_clear_refs(5)), so that memory released later is included.
        let isReset: Bool
        if let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") {
            isReset = (try? handle.write(contentsOf: Data("5".utf8))) != nil
            try? handle.close()
        } else {
            isReset = false
        }
        counter = isReset ? "VmHWM" : "VmRSS"
        start = Self.kibibytes("VmRSS")
    }

    /// Maximum growth since the start, in MiB.
    package var growth: Int { max(0, Self.kibibytes(counter) - start) / 1024 }

    private static func kibibytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
