import FerryAPI
package import FerryCore
package import FerrySystem
import Glibc

/// How a client finds its daemon, and whether it may start one.
package struct ClientConfiguration: Sendable {
    package var paths: FerryPaths
    /// The client's environment. A daemon that the client starts gets a part of it. `FERRYD` names the daemon's
    /// executable.
    package var environment: [String: String]
    package var startsDaemon = true
    /// How long a starting daemon may take until it responds.
    package var startLimit: Duration = .seconds(30)
    /// How long one call may take; event streams have no limit.
    package var callLimit: Duration = .seconds(300)
    /// When to give up on an unresponsive daemon. `nil` leaves it to the limits above.
    package var patience: Patience?
    /// Executor for starting the daemon. `nil` uses Swift's own threads, all of which blocking callers may occupy.
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
