import Foundation

/// The memory of this process.
enum Memory {
    /// Resident memory that no file backs.
    static var anonymousBytes: Int {
        let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = lines.split(separator: "\n").first { $0.hasPrefix("RssAnon") } ?? ""
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
    }
}
