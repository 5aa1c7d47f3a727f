package import FerryCore
import FerryQueue
import Foundation

/// Apps: their run loops, launch commands and foreground state.
extension LocalTransferService {
    package func connect(
        _ application: ApplicationConnection
    ) async throws(ServiceError) -> AsyncThrowingStream<ApplicationSignal, any Error> {
        try Self.check(application.application)
        let (stream, continuation) = AsyncThrowingStream<ApplicationSignal, any Error>.makeStream()
        let name = application.application
        let token = queue.connect(application)
        runtime.connect(token, continuation)
        continuation.onTermination = { [weak self] _ in
            Task(name: "end of a connection of \(name)") { await self?.disconnect(token) }
        }
        continuation.yield(.connected)
        guard application.launchedFor == nil else {
            await considerAll(of: name)
            return stream
        }
        try await beginForeground(name, saving: nil)
        return stream
    }

    private func disconnect(_ token: Int) async {
        runtime.disconnect(token)
        await performInOrder(queue.take(.app(.disconnected(token)), at: moment))
    }

    package func becomeActive(_ application: String, process: Int32) async throws(ServiceError) {
        take(.app(.becameActive(process, of: application)))
        try await beginForeground(application, saving: nil)
        await considerAll(of: application)
    }

    package func registerLaunchCommand(
        _ command: LaunchCommand?, of application: String
    ) async throws(ServiceError) {
        try Self.check(application)
        try command?.check()
        take(.app(.command(command, of: application)))
        try await noting { () async throws(ServiceError) in try await saveApplication(application) }
    }

    private static func check(_ application: String) throws(ServiceError) {
        _ = try SessionID(application)
    }

    // MARK: In use

    /// Records that the user has started the app. Clears force-quits and the delay after launches.
    func beginForeground(_ application: String, saving session: SessionID?) async throws(ServiceError) {
        try await performOrThrow(queue.take(.app(.foreground(application, saving: session)), at: moment))
    }

    /// Saves what the start of an app has cleared.
    func save(_ foreground: AppRegistry.Foreground) async throws(ServiceError) {
        let name = foreground.name
        try await noting { () async throws(ServiceError) in
            try await journal.commit { transaction throws(ServiceError) in
                for (id, registration) in foreground.registrations {
                    try transaction.saveRegistration(registration, of: id)
                }
                if let record = foreground.application { try transaction.saveApplication(name, record) }
            }
        }
        if foreground.application != nil { take(.relaunchDelay(of: name)) }
    }

    func saveApplication(_ name: String) async throws(ServiceError) {
        let record = queue.apps.record(of: name)
        try await journal.commit { transaction throws(ServiceError) in try transaction.saveApplication(name, record) }
    }

    // MARK: The delay after launches

    /// Whether a session's app works in the background, so that its new transfers are delayed.
    func isInBackground(_ session: SessionID) -> Bool { queue.apps.isInBackground(session) }
}
