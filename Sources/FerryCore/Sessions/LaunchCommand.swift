// Ferry: FerryCore
// How an app is started.

/// How an app is started for its events; run without a shell.
package struct LaunchCommand: Hashable, Codable, Sendable {
    /// The program's absolute path, then its arguments.
    package var arguments: [String]
    /// Absolute path; nil is the user's home.
    package var workingFolder: String?
    /// Added to the daemon's own environment.
    package var environment: [String: String]

    package init(arguments: [String], workingFolder: String?, environment: [String: String]) {
        self.arguments = arguments
        self.workingFolder = workingFolder
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case arguments, environment
        case workingFolder = "working_folder"
    }
}
