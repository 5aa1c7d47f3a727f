import FerryTesting
import Foundation
import Glibc

/// The app's observable state, from outside its processes.
extension AppFixture {
    /// Returns the app's running processes.
    func processes() -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { pid in
            guard let variables = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
                variables.split(separator: 0).contains(Data("EVENTS=\(storyFile)".utf8)),
                let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
            else { return false }
            return program.hasSuffix("/BackgroundTestApp")
        }
    }

    /// Returns the number of bytes that the daemon's transfers have on disk.
    func received() async throws -> Int64 {
        struct Shown: Decodable { var bytes_received: Int64 }
        return try await daemon.run(["list", "--json"]).json([Shown].self).reduce(0) { $0 + $1.bytes_received }
    }
}
