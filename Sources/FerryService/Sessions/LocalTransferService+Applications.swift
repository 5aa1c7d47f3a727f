// Ferry: FerryService
// Apps: their run loops, how they are started, and when they are in use.

package import FerryCore
import FerryStore
import Foundation

extension LocalTransferService {
    package func connect(
        _ application: ApplicationConnection
    ) async throws(TransferError) -> AsyncThrowingStream<ApplicationSignal, any Error> {
        try Self.check(application.application)
        let (stream, continuation) = AsyncThrowingStream<ApplicationSignal, any Error>.makeStream()
        let token = desk.token()
        let name = application.application
        // A process that was launched for a session calls itself to handle that one's events.
        let called = application.launchedFor.map { identifier in
            desk.sessions(of: name).filter { id in
                desk.sessions[id]?.registration.identifier == identifier && desk.sessions[id]?.holder == nil
            }
        }
        desk.listeners[token] = SessionDesk.Listener(
            connection: application, signals: continuation, called: Set(called ?? []))
        desk.launched[application.process]?.isConnected = true
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
        guard let listener = desk.listeners.removeValue(forKey: token), !desk.isEnding, !isShuttingDown else { return }
        // What it was told of and did not take is told again.
        for id in listener.called where listener.connection.launchedFor != desk.sessions[id]?.registration.identifier {
            desk.sessions[id]?.hasNews = true
        }
        await considerAll(of: listener.connection.application)
    }

    /// Ends the connections of run loops, as the service ends.
    func disconnectAll() {
        for listener in desk.listeners.values { listener.signals.finish() }
    }

    package func becomeActive(_ application: String, process: Int32) async throws(TransferError) {
        desk.launched[process]?.isBackground = false
        for (id, session) in desk.sessions where session.registration.application == application {
            if session.holder?.process == process { desk.sessions[id]?.holder?.isBackground = false }
        }
        try await beginForeground(application, saving: nil)
        await considerAll(of: application)
    }

    package func registerLaunchCommand(
        _ command: LaunchCommand?, of application: String
    ) async throws(TransferError) {
        try Self.check(application)
        try command?.check()
        desk.applications[application, default: ApplicationRecord()].launch = command
        try await noting { () async throws(TransferError) in try await saveApplication(application) }
    }

    // MARK: In use

    /// Its user has started the app: what was quit is forgotten, and so is the delay after launches.
    func beginForeground(_ application: String, saving session: SessionID?) async throws(TransferError) {
        var changed = session.map { [$0] } ?? []
        for id in desk.sessions(of: application) where desk.sessions[id]?.registration.isQuit == true {
            desk.sessions[id]?.registration.isQuit = false
            changed.append(id)
        }
        let isDelayed = desk.applications[application].map { $0.relaunch != RelaunchDelay() } ?? false
        if isDelayed { desk.applications[application]?.relaunch.foregroundAttached() }
        let registrations = Set(changed).compactMap { id in desk.sessions[id].map { (id, $0.registration) } }
        let record = isDelayed ? desk.applications[application] : nil
        guard !registrations.isEmpty || record != nil else { return }
        try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                for (id, registration) in registrations { try transaction.saveRegistration(registration, of: id) }
                if let record { try transaction.saveApplication(application, record) }
            }
        }
        if isDelayed { followRelaunchDelay(of: application) }
    }

    func saveApplication(_ name: String) async throws(TransferError) {
        let record = desk.applications[name] ?? ApplicationRecord()
        try await journal.commit { transaction throws(TransferError) in try transaction.saveApplication(name, record) }
    }

    // MARK: The delay after launches

    /// Whether the app of a session is at work in the background, so that its new transfers wait.
    func isInBackground(_ session: SessionID) -> Bool {
        guard let holder = desk.sessions[session]?.holder else { return false }
        return holder.isBackground || desk.launched[holder.process]?.isBackground == true
    }

    /// Seconds that a transfer waits for the delay after its app's launches to end.
    func relaunchRest(_ session: SessionID) -> Double {
        guard let application = desk.sessions[session]?.registration.application else { return 0 }
        return desk.applications[application]?.relaunch.rest(now: Date()) ?? 0
    }

    /// Lets the transfers that wait for the delay's end follow its change.
    func followRelaunchDelay(of application: String) {
        for (id, key) in lines.waiting(for: .relaunch) {
            guard desk.sessions[key.session]?.registration.application == application else { continue }
            enqueue(id, key, after: relaunchRest(key.session), reason: .relaunch)
        }
        schedule()
    }

    private static func check(_ application: String) throws(TransferError) {
        _ = try SessionID(application)
    }
}
