// Ferry: FerryClient
// The umask of this process.

#if os(Linux)
    package import FerryCore
    import Foundation

    extension FileMask {
        /// The umask of this process at this moment.
        package static var ofProcess: FileMask {
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            return status.flatMap { FileMask(processStatus: $0) } ?? .usual
        }
    }
#endif
