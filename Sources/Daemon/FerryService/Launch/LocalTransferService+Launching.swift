import FerryCore
import FerryEngine
import FerryQueue
import Foundation
import Logging

/// Notifying apps of pending events, and launching apps for them.
extension LocalTransferService {
    /// Time after the daemon's start in which apps that survived its restart reconnect, in seconds.
    private static let settlingTime = 5.0

    /// Announces the daemon's shutdown. Connections lost from here on say nothing about their processes.
    ///
    /// Runs stop from here on, while the server still waits for its connections.
    package func prepareToEnd() { beginEnd() }

    /// Restores apps and sessions from the journal.
    func recoverSessions() async throws(ServiceError) {
        let (applications, registrations) = try await journal.read { reader throws(ServiceError) in
            var found: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)] = []
            for (id, registration) in try reader.registrations() {
                found.append((id, registration, try reader.hasEnded(id, after: registration.notifiedAt)))
            }
            return (try reader.applications(), found)
        }
        take(.app(.recovered(applications, registrations)))
    }

    /// Reconsiders all sessions once apps that survived a daemon restart have had time to reconnect.
    func settleSessions() {
        take(.app(.settling(after: Self.settlingTime * configuration.delayScale)))
    }

    func endSettling() async {
        await performInOrder(queue.take(.app(.settled), at: moment))
        // The process is alive and did not close its session.
        if queue.apps.mayComeBack(isAlive: configuration.machine.processes.isAlive) {
            setAlarm(Alarm(due: clock.now + .seconds(Self.settlingTime), cause: .settling))
        }
    }

    func considerAll(of application: String) async {
        for id in queue.apps.sessions(of: application) { await consider(id) }
    }

    /// Notifies a session's app of pending events, or launches it, if either is due.
    func consider(_ id: SessionID) async {
        guard !isShuttingDown, queue.apps.mayCall(for: id, isAlive: configuration.machine.processes.isAlive) else {
            return
        }
        let asking = waitingTransfers.asking[id, default: 0]
        await attempt { () async throws(ServiceError) in
            let work = try await journal.read { reader throws(ServiceError) in
                AppRegistry.Work(
                    hasResults: try reader.hasEnded(id), isWorking: try reader.hasPending(id, besides: asking),
                    isAsking: asking > 0)
            }
            // Another process may have attached, or the app may have been notified, while the journal was read.
            take(.app(.considered(id, work, firstDelay: configuration.relaunchDelay)))
        }
    }

    // MARK: Launches

    func launch(_ id: SessionID, _ launch: AppLaunch) async throws(ServiceError) {
        let application = launch.application
        let start = ProgramStart(
            launch.command, application: application, session: launch.session,
            environment: configuration.environment, umask: configuration.umask)
        let processes = configuration.machine.processes
        // On a disk thread: the app's folder may not respond.
        let started = await engine.disk.at(.folder(start.folder)).result { _ throws(DiskError) in
            Result { () throws(ServiceError) in try processes.start(start) }
        }
        do throws(ServiceError) {
            let process = try started.mapError(\.transferError).get().get()
            take(.app(.launched(process, of: application, for: id)))
            processes.watch(process) { [weak self] process in
                Task(name: "end of process \(process)") { await self?.processEnded(process) }
            }
            logger.notice("launched an app", metadata: ["session": "\(id)", "process": "\(process)"])
        } catch {
            logger.warning("an app cannot be launched", metadata: ["session": "\(id)", "error": "\(error)"])
            await performInOrder(queue.take(.app(.launchFailed(id)), at: moment))
            // The app's other sessions relied on this launch.
            for other in queue.apps.sessions(of: application) where other != id { await consider(other) }
        }
        take(.relaunchDelay(of: application))
        try await saveApplication(application)
    }

    private func processEnded(_ process: Int32) async {
        await performInOrder(queue.take(.app(.processEnded(process)), at: moment))
    }
}
