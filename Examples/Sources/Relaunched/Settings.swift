// The app's settings.

import BackgroundURLSession

/// The app's settings, from the command line or, if the daemon launched it, from the environment.
struct Settings {
    let urls: [URL]
    let folder: URL
    /// Log file of a process launched by the daemon.
    let log: String?

    init() {
        let environment = ProcessInfo.processInfo.environment
        var words = Array(CommandLine.arguments.dropFirst())
        let last = words.last.flatMap { $0.contains("://") ? nil : $0 }
        if last != nil { words.removeLast() }
        urls = words.compactMap { URL(string: $0) }
        folder = URL(fileURLWithPath: last ?? environment["DOWNLOADS"] ?? NSHomeDirectory() + "/Downloads")
        log = environment["DOWNLOADS_LOG"]
    }

    /// The program without URLs, because the session has its downloads.
    var launchCommand: [String] {
        [(try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]]
    }

    var launchEnvironment: [String: String] {
        ["DOWNLOADS": folder.path, "DOWNLOADS_LOG": folder.appendingPathComponent("downloads.log").path]
    }
}
