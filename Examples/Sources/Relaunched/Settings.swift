// What the app is told on its command line.

import BackgroundURLSession

/// What the app is told: by its user on the command line, by the daemon in its environment.
struct Settings {
    let urls: [URL]
    let folder: URL
    /// The file that a process writes to that the daemon has started.
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

    /// The program itself, without URLs: what there is to do is in the session.
    var launchCommand: [String] {
        [(try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]]
    }

    var launchEnvironment: [String: String] {
        ["DOWNLOADS": folder.path, "DOWNLOADS_LOG": folder.appendingPathComponent("downloads.log").path]
    }
}
