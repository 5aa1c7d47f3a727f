import Foundation

/// The folder of the user's data, which no system purges (XDG Base Directory Specification).
enum DataFolder {
    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return path }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    }
}
