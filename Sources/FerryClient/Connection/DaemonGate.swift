// Ferry: FerryClient
// Lets calls through once a daemon answers.

import FerryAPI
import FerryCore

/// Lets calls through once a daemon of the right version answers, and starts it for all of them together if none does.
actor DaemonGate {
    private let connection: DaemonConnection
    private let launcher: DaemonLauncher?
    private let executor: (any TaskExecutor)?
    private var epoch = 0
    private var isOpen = false
    /// Number of the latest durable event when the daemon was greeted; nil if it did not say so.
    private(set) var lastEvent: Int64?
    private var opening: Task<Result<Opened, TransferError>, Never>?

    private struct Opened {
        let isStarted: Bool
        let daemon: GetVersion.Response?
    }

    init(connection: DaemonConnection, launcher: DaemonLauncher?, executor: (any TaskExecutor)? = nil) {
        self.connection = connection
        self.executor = executor
        self.launcher = launcher
    }

    /// Returns once a daemon answers; the number names the daemon to ``daemonWent(_:)``.
    @discardableResult
    func pass() async throws(TransferError) -> Int {
        if !isOpen { _ = try await open() }
        return epoch
    }

    /// Makes sure that a daemon answers, and says whether it had to be started.
    func open() async throws(TransferError) -> Bool {
        if let opening { return try await opening.value.get().isStarted }
        let task = Task(name: "start of the daemon", executorPreference: executor) {
            [connection, launcher] () -> Result<Opened, TransferError> in
            do throws(TransferError) {
                return .success(try await Self.reach(connection, launcher))
            } catch {
                return .failure(error)
            }
        }
        opening = task
        let result = await task.value
        opening = nil
        if case .success(let opened) = result {
            isOpen = true
            epoch += 1
            lastEvent = opened.daemon?.lastEvent
        }
        return try result.get().isStarted
    }

    /// Whether a daemon answers; starts none.
    func answers() async throws(TransferError) -> Bool { try await Self.answers(connection) }

    /// A call found that the daemon of this number does not answer.
    func daemonWent(_ number: Int) {
        if number == epoch { isOpen = false }
    }

    private static func reach(
        _ connection: DaemonConnection, _ launcher: DaemonLauncher?
    ) async throws(TransferError) -> Opened {
        do throws(ConnectionFailure) {
            return Opened(isStarted: false, daemon: try await greet(connection))
        } catch {
            guard launcher != nil, error.meansNoDaemon else { throw error.error }
        }
        try await launcher?.launch { () async throws(TransferError) -> Bool in try await answers(connection) }
        return Opened(isStarted: true, daemon: nil)
    }

    private static func answers(_ connection: DaemonConnection) async throws(TransferError) -> Bool {
        do throws(ConnectionFailure) {
            _ = try await greet(connection)
            return true
        } catch {
            if error.meansNoDaemon { return false }
            throw error.error
        }
    }

    private static func greet(
        _ connection: DaemonConnection
    ) async throws(ConnectionFailure) -> GetVersion.Response {
        let daemon = try await connection.call(GetVersion.self)
        guard daemon.api == APIVersion.current else {
            throw .answered(
                TransferError(
                    .daemonUnreachable,
                    "The daemon that runs is version \(daemon.version.escapingControls) and speaks API \(daemon.api); this is "
                        + "version \(FerryVersion.current) and speaks API \(APIVersion.current). Stop it with its own "
                        + "`ferry daemon stop`, then try again."))
        }
        return daemon
    }
}

extension ConnectionFailure {
    /// Whether a daemon should be started: nobody listens, or whoever listened has just gone.
    fileprivate var meansNoDaemon: Bool {
        switch self {
        case .nobodyListens, .lost: true
        case .answered, .canceled: false
        }
    }
}
