import FerryCore
import FerryQueue
import Foundation

/// The connections of apps' run loops, their launch commands, and their starts by the user.
actor AppConnections {
    private let queue: LiveQueue
    private let journal: any Journal
    private let launches: AppLaunches
    private var signals: [Int: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation] = [:]
    private var areEnded = false
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(_ queue: LiveQueue, journal: any Journal, launches: AppLaunches) {
        self.queue = queue
        self.journal = journal
        self.launches = launches
    }

    // MARK: Run loops

    func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> {
        try Self.check(application.application)
        let (stream, continuation) = AsyncThrowingStream<ApplicationSignal, any Error>.makeStream()
        let name = application.application
        let token = queue.change { $0.connect(application) }
        // Nothing would end a connection that came after the others had ended.
        if areEnded { continuation.finish() } else { signals[token] = continuation }
        continuation.onTermination = { [weak self] _ in
            Task(name: "end of a connection of \(name)") { await self?.disconnect(token) }
        }
        continuation.yield(.connected)
        guard application.launchedFor == nil else {
            await launches.considerAll(of: name)
            return stream
        }
        try await beginForeground(name, saving: nil)
        return stream
    }

    private func disconnect(_ token: Int) async {
        signals[token] = nil
        await queue.takeInOrder(.app(.disconnected(token)))
    }

    /// Notifies an app, by its connection.
    func signal(_ token: Int, _ signal: ApplicationSignal) { signals[token]?.yield(signal) }

    /// Ends all connections.
    func end() {
        areEnded = true
        for signals in signals.values { signals.finish() }
    }

    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError) {
        try Self.check(application)
        try command?.check()
        queue.take(.app(.command(command, of: application)))
        try await journal.saveApplication(application, in: queue.apps)
    }

    private static func check(_ application: String) throws(ServiceError) {
        _ = try SessionID(application)
    }

    // MARK: In use

    func becomeActive(_ application: String, process: Int32) async throws(ServiceError) {
        queue.take(.app(.becameActive(process, of: application)))
        try await beginForeground(application, saving: nil)
        await launches.considerAll(of: application)
    }

    /// Records that the user has started the app. Clears force-quits and the delay after launches.
    func beginForeground(_ application: String, saving session: SessionID?) async throws(ServiceError) {
        try await queue.takeOrThrow(.app(.foreground(application, saving: session)))
    }

    /// Saves what the start of an app has cleared.
    func save(_ foreground: AppRegistry.Foreground) async throws(ServiceError) {
        let name = foreground.name
        try await journal.commit { transaction throws(ServiceError) in
            for (id, registration) in foreground.registrations {
                try transaction.saveRegistration(registration, of: id)
            }
            if let record = foreground.application { try transaction.saveApplication(name, record) }
        }
        if foreground.application != nil { queue.take(.relaunchDelay(of: name)) }
    }
}
