import FerryAPI
import FerryCore

/// Lets calls through while a daemon may answer, and starts one for all callers together once it is known that none does.
///
/// No call is made only to ask whether a daemon is there: the answer to the first call says so, and which daemon it is.
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

    /// Returns once a daemon may answer; the number names the daemon to ``daemonWent(_:)``.
    @discardableResult
    func pass() async throws(ServiceError) -> Int {
        if isClosed { _ = try await open() }
        return epoch
    }

    /// Makes sure that a daemon answers, and says whether it had to be started.
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

    /// Whether a daemon answers; starts none.
    func answers() async throws(ServiceError) -> Bool { try await Self.answers(connection) }

    /// A call found that the daemon of this number does not answer.
    func daemonWent(_ number: Int) {
        if number == epoch { isClosed = true }
    }

    /// Whether the daemon that answers had to be started.
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
        if let tell = launcher.patience?.tell, let status = try? await connection.call(GetStatus.self) {
            // This client started the daemon, so it tells the user what the daemon found.
            for warning in status.warnings { tell("Warning: " + warning) }
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
    /// Whether a daemon should be started: none listens, or the one that listened has just gone.
    fileprivate var meansNoDaemon: Bool {
        switch self {
        case .noListener, .unread, .lost: true
        case .refused, .silent, .answered, .canceled: false
        }
    }
}
