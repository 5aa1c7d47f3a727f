import FerryAPI
import FerryCore

/// Passes calls while a daemon may respond. Once none does, starts one for all callers together.
///
/// No call is made just to check whether a daemon is running: the response to the first call shows that, and which
/// daemon it is.
actor DaemonGate {
    private let connection: DaemonConnection
    private let launcher: DaemonLauncher?
    private let executor: (any TaskExecutor)?
    private var epoch = 0
    /// Whether a call has found no daemon.
    private var isClosed = false
    private var opening: Task<Result<Bool, ServiceError>, Never>?

    init(connection: DaemonConnection, launcher: DaemonLauncher?, executor: (any TaskExecutor)? = nil) {
        self.connection = connection
        self.executor = executor
        self.launcher = launcher
    }

    /// Returns once a daemon may respond. The number identifies the daemon for ``daemonWent(_:)``.
    @discardableResult
    func pass() async throws(ServiceError) -> Int {
        if isClosed { _ = try await open() }
        return epoch
    }

    /// Ensures that a daemon responds.
    ///
    /// - Returns: Whether it had to be started.
    func open() async throws(ServiceError) -> Bool {
        if let opening { return try await opening.value.get() }
        let task = Task(name: "start of the daemon", executorPreference: executor) {
            [connection, launcher] () -> Result<Bool, ServiceError> in
            do throws(ServiceError) {
                return .success(try await Self.reach(connection, launcher))
            } catch {
                return .failure(error)
            }
        }
        opening = task
        let result = await task.value
        opening = nil
        if case .success = result {
            isClosed = false
            epoch += 1
        }
        return try result.get()
    }

    /// Whether a daemon responds. Starts none.
    func answers() async throws(ServiceError) -> Bool { try await Self.answers(connection) }

    /// Records that the daemon with this number does not respond.
    func daemonWent(_ number: Int) {
        if number == epoch { isClosed = true }
    }

    /// Reaches a daemon, starting one if necessary.
    ///
    /// - Returns: Whether it had to be started.
    private static func reach(
        _ connection: DaemonConnection, _ launcher: DaemonLauncher?
    ) async throws(ServiceError) -> Bool {
        do throws(ConnectionFailure) {
            try await greet(connection)
            return false
        } catch {
            guard launcher != nil, error.meansNoDaemon else { throw error.error }
        }
        guard let launcher else { return true }
        try await launcher.launch { () async throws(ServiceError) -> Bool in try await answers(connection) }
        if let notify = launcher.patience?.notify, let status = try? await connection.call(GetStatus.self) {
            // This client started the daemon, so it reports the daemon's warnings to the user.
            for warning in status.warnings { notify("Warning: " + warning) }
        }
        return true
    }

    private static func answers(_ connection: DaemonConnection) async throws(ServiceError) -> Bool {
        do throws(ConnectionFailure) {
            try await greet(connection)
            return true
        } catch {
            if error.meansNoDaemon { return false }
            throw error.error
        }
    }

    private static func greet(_ connection: DaemonConnection) async throws(ConnectionFailure) {
        let daemon = try await connection.call(GetVersion.self)
        guard daemon.api == APIVersion.current else {
            throw .answered(.otherDaemon(daemon.version, speaking: daemon.api))
        }
    }
}

extension ConnectionFailure {
    /// Whether a daemon should be started: none is listening, or the previous one has just gone.
    fileprivate var meansNoDaemon: Bool {
        switch self {
        case .noListener, .unread, .lost: true
        case .refused, .silent, .answered, .canceled: false
        }
    }
}
