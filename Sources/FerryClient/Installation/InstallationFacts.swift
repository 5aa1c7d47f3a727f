package import FerryAPI
package import FerryCore
package import FerryFoundation

/// What can be seen of Ferry's installation without changing it, for ``Diagnosis``.
package struct InstallationFacts: Sendable {
    /// The folders of the user, or why there are none.
    package var paths: Result<FerryPaths, ServiceError>
    /// The program that would be started as the daemon.
    package var program: Result<String, ServiceError>
    /// How the daemon is; nil where none runs.
    package var daemon: Result<ServiceStatus?, ServiceError>
    /// Why a folder, or what is above it, cannot be trusted.
    package var distrust: [ServiceError] = []
    package var rooms: [Room] = []
    package var now: Date
    /// When the journal was last written to.
    package var lastUse: Date?
    /// Whether the name `localhost` leads to an address.
    package var resolvesNames = true
    /// How many name servers `/etc/resolv.conf` names; nil where there is no such file.
    package var nameServers: Int?
    package var environment: [String: String] = [:]
    /// Why a proxy of the environment cannot be connected to, by the variable that names it.
    package var proxyFaults: [String: String] = [:]
    package var currentFolder = "/"
    /// Files and folders of authorities that the environment names, or else that the system has, and that can be read.
    package var authorities: [String] = []

    /// The variables of the environment that name a proxy, in order.
    var proxies: [(name: String, value: String)] {
        CallerEnvironment(variables: environment, umask: .usual, currentFolder: "/").proxies
            .filter { $0.key.lowercased() != "no_proxy" && !$0.value.isEmpty }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The room on the file system of a folder.
    package struct Room: Hashable, Sendable {
        package var folder: String
        /// Bytes that the user may still write.
        package var bytes: Int64
        /// Files that can still be made; nil where the file system has no such limit.
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
