// Ferry: FerryEngine
// The mode that new files get.

#if os(Linux)
    import Foundation

    /// The mode that new files get.
    enum FileMode {
        /// The process's umask, as the kernel tells it: asking by `umask` would change it for a moment for every thread.
        static let umask: UInt32 = {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
            return line.flatMap { UInt32($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) } ?? 0o022
        }()
    }
#endif
