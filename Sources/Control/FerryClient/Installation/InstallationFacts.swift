import FerryAPI
package import FerryCore
package import FerryFoundation
package import FerrySystem

/// Readable facts about Ferry's installation, collected for ``Diagnosis`` without changing it.
package struct InstallationFacts: Sendable {
    /// The user's folders, or why there are none.
    package var paths: Result<FerryPaths, ServiceError>
    /// The program that would be started as the daemon.
    package var program: Result<String, ServiceError>
    /// A run of that program that prints its version, or `nil` if there was none.
    package var programRun: ProgramRun?
    /// The daemon's status, or `nil` if none is running.
    package var daemon: Result<ServiceStatus?, ServiceError>
    /// Why a folder or one of its parents cannot be trusted.
    package var distrust: [ServiceError] = []
    /// Places that Ferry cannot write to.
    package var obstacles: [Obstacle] = []
    package var rooms: [Room] = []
    package var now: Date
    /// Date of the last write to the journal.
    package var lastUse: Date?
    package var environment: [String: String] = [:]
    /// Why a proxy of the environment cannot be connected to, by environment variable.
    package var proxyFaults: [String: String] = [:]
    package var currentFolder = "/"
    package var network = Network()
    /// Whether the list of public suffixes is installed.
    package var hasPublicSuffixes = true
    /// Readable files and folders of certificate authorities: those named in the environment, or else the system's.
    package var authorities: [String] = []

    /// The environment variables that name a proxy, in order.
    var proxies: [(name: String, value: String)] {
        CallerEnvironment(variables: environment, umask: .usual, currentFolder: "/").proxies
            .filter { $0.key.lowercased() != "no_proxy" && !$0.value.isEmpty }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The way to other machines.
    package struct Network: Sendable {
        /// Whether the name `localhost` resolves to an address.
        package var resolvesNames = true
        /// Number of name servers in `/etc/resolv.conf`, or `nil` without this file.
        package var nameServers: Int?
        /// The kernel's routes, if it reports them.
        package var routes: NetworkRoutes?
        /// Waiting transfers of the daemon.
        package var waiting: [Waiting] = []

        package init() {}
    }

    /// Transfers that wait for the same thing.
    package struct Waiting: Hashable, Sendable {
        package var reason: WaitReason
        package var count: Int
        /// The newest of them, with its last error.
        package var example: String
        /// The object of the wait, in words.
        package var sentence: String

        package init(reason: WaitReason, count: Int, example: String, sentence: String) {
            (self.reason, self.count, self.example, self.sentence) = (reason, count, example, sentence)
        }
    }

    /// Free space on a folder's file system.
    package struct Room: Hashable, Sendable {
        package var folder: String
        /// Bytes that the user may still write.
        package var bytes: Int64
        /// Number of files that can still be created, or `nil` if the file system has no such limit.
        package var files: Int64?

        package init(folder: String, bytes: Int64, files: Int64? = nil) {
            (self.folder, self.bytes, self.files) = (folder, bytes, files)
        }
    }

    package init(
        paths: Result<FerryPaths, ServiceError>, program: Result<String, ServiceError>,
        daemon: Result<ServiceStatus?, ServiceError>, now: Date
    ) {
        (self.paths, self.program, self.daemon, self.now) = (paths, program, daemon, now)
    }
}
