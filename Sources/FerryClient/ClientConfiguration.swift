package import FerryAPI
package import FerryCore
import Glibc

/// How a client finds its daemon, and whether it may start one.
package struct ClientConfiguration: Sendable {
    package var paths: FerryPaths
    /// The client's environment, of which a daemon that it starts gets a part; `FERRYD` names its executable.
    package var environment: [String: String]
    package var startsDaemon = true
    /// How long a daemon may take until it answers.
    package var startLimit: Duration = .seconds(30)
    /// How long one call may take; event streams have no limit.
    package var callLimit: Duration = .seconds(300)
    /// When a daemon that says nothing is given up; nil leaves it to the limits above.
    package var patience: Patience?
    /// Runs the start of the daemon; nil is Swift's own threads, of which a caller that blocks may hold all.
    package var executor: (any TaskExecutor)?

    package init(paths: FerryPaths, environment: [String: String]) {
        self.paths = paths
        self.environment = environment
    }

    /// The daemon of the user who runs this process.
    package init(environment: [String: String]) throws(ServiceError) {
        self.init(paths: try FerryPaths(environment: environment, userID: geteuid()), environment: environment)
    }
}
