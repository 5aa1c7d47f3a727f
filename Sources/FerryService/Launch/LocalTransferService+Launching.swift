import FerryCore
import FerryEngine
import Foundation
import Logging

/// Telling an app that events wait, and starting it for them.
extension LocalTransferService {
    /// Seconds after the daemon's start in which apps that lived through a restart come back.
    private static let settlingTime = 5.0

    /// The daemon is about to end: connections that break from here on say nothing about their processes.
    ///
    /// Runs stop from here on, while the server still waits for its connections.
    package func prepareToEnd() { beginEnd() }

    /// Takes up what an earlier process knew of apps and sessions.
    func recoverSessions() async throws(ServiceError) {
        let (applications, registrations) = try await journal.read { reader throws(ServiceError) in
            var found: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)] = []
            for (id, registration) in try reader.registrations() {
                found.append((id, registration, try reader.hasEnded(id, after: registration.toldAt)))
            }
            return (try reader.applications(), found)
        }
        take(.app(.recovered(applications, registrations)))
    }

    /// Looks at all sessions once apps that live through a restart of the daemon have had the time to come back.
    func settleSessions() {
        take(.app(.settling(after: Self.settlingTime * configuration.delayScale)))
    }

    func endSettling() async {
        await performInOrder(queue.take(.app(.settled), at: .now))
        // It has not let go of its session.
        if queue.apps.mayComeBack(isAlive: \.isAlive) {
            setAlarm(Alarm(due: .now + .seconds(Self.settlingTime), cause: .settling))
        }
    }

    /// A transfer of a session has ended, or asks its app for something.
    func noteNews(of id: SessionID) async {
        await performInOrder(queue.take(.app(.news(of: id)), at: .now))
    }

    func considerAll(of application: String) async {
        for id in queue.apps.sessions(of: application) { await consider(id) }
    }

    /// Tells a session's app that events wait, or starts it, if it is the time.
    func consider(_ id: SessionID) async {
        guard !isShuttingDown, queue.apps.mayCall(for: id, isAlive: \.isAlive) else { return }
        let asking = waitingTransfers.asking[id, default: 0]
        await attempt { () async throws(ServiceError) in
            let work = try await journal.read { reader throws(ServiceError) in
                AppRegistry.Work(
                    hasResults: try reader.hasEnded(id), isWorking: try reader.hasPending(id, besides: asking),
                    isAsking: asking > 0)
            }
            // Another process may have attached, or the app may have been told, while the journal was read.
            let effects = queue.take(
                .app(.considered(id, work, firstDelay: configuration.relaunchDelay)), at: .now)
            perform(effects)
            for case .launch(let id, let launch) in effects { try await self.launch(id, launch) }
        }
    }

    // MARK: Launches

    private func launch(_ id: SessionID, _ launch: AppLaunch) async throws(ServiceError) {
        let application = launch.application
        let start = ProgramStart(
            launch.command, application: application, session: launch.session,
            environment: configuration.environment, umask: configuration.umask)
        // On a thread that may be held up: the app's folder may be one that does not answer.
        let started = await engine.disk.at(.folder(start.folder)).result { _ throws(DiskError) in
            Result { () throws(ServiceError) in try start.run() }
        }
        do throws(ServiceError) {
            let process = try started.mapError(\.transferError).get().get()
            take(.app(.launched(process, of: application, for: id)))
            ProgramStart.watch(process) { [weak self] process in
                Task(name: "end of process \(process)") { await self?.processEnded(process) }
            }
            logger.notice("launched an app", metadata: ["session": "\(id)", "process": "\(process)"])
        } catch {
            logger.warning("an app cannot be launched", metadata: ["session": "\(id)", "error": "\(error)"])
            await performInOrder(queue.take(.app(.launchFailed(id)), at: .now))
            // Its other sessions have counted on this launch.
            for other in queue.apps.sessions(of: application) where other != id { await consider(other) }
        }
        take(.relaunchDelay(of: application))
        try await saveApplication(application)
    }

    private func processEnded(_ process: Int32) async {
        await performInOrder(queue.take(.app(.processEnded(process)), at: .now))
    }
}
