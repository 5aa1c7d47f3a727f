import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import Foundation
import Logging

/// Notifies apps of pending events, and launches apps for them.
actor AppLaunches {
    private let queue: LiveQueue
    private let journal: any Journal
    private let life: ServiceLife
    private let configuration: ServiceConfiguration
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Time after the daemon's start in which apps that survived its restart reconnect, in seconds.
    private static let settlingTime = 5.0

    init(_ queue: LiveQueue, journal: any Journal, life: ServiceLife, _ configuration: ServiceConfiguration) {
        self.queue = queue
        self.journal = journal
        self.life = life
        self.configuration = configuration
    }

    private var processes: any ProcessHost { configuration.machine.processes }
    private var logger: Logger { configuration.logger }

    // MARK: Start

    /// Restores apps and sessions from the journal.
    func recover() async throws(ServiceError) {
        let (applications, registrations) = try await journal.read { reader throws(ServiceError) in
            var found: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)] = []
            for (id, registration) in try reader.registrations() {
                found.append((id, registration, try reader.hasEnded(id, after: registration.notifiedAt)))
            }
            return (try reader.applications(), found)
        }
        queue.take(.app(.recovered(applications, registrations)))
    }

    /// Reconsiders all sessions once apps that survived a daemon restart have had time to reconnect.
    func settle() {
        queue.take(.app(.settling(after: Self.settlingTime * configuration.delayScale)))
    }

    func endSettling() async {
        await queue.takeInOrder(.app(.settled))
        // The process is alive and did not close its session.
        if queue.apps.mayComeBack(isAlive: processes.isAlive) { queue.setAlarm(.settling, after: Self.settlingTime) }
    }

    // MARK: Events

    /// Reconsiders all sessions of an app.
    func considerAll(of application: String) async {
        for id in queue.apps.sessions(of: application) { await consider(id) }
    }

    /// Notifies a session's app of pending events, or launches it, if either is due.
    func consider(_ id: SessionID) async {
        guard !life.isEnding, queue.apps.mayCall(for: id, isAlive: processes.isAlive) else { return }
        let asking = queue.waitingTransfers.asking[id, default: 0]
        let work = try? await journal.read { reader throws(ServiceError) in
            AppRegistry.Work(
                hasResults: try reader.hasEnded(id), isWorking: try reader.hasPending(id, besides: asking),
                isAsking: asking > 0)
        }
        guard let work else { return }
        // Another process may have attached, or the app may have been notified, while the journal was read.
        queue.take(.app(.considered(id, work, firstDelay: configuration.relaunchDelay)))
    }

    // MARK: Launches

    func launch(_ id: SessionID, _ launch: AppLaunch) async {
        let application = launch.application
        let start = ProgramStart(
            launch.command, application: application, session: launch.session,
            environment: configuration.environment, umask: configuration.umask)
        let processes = processes
        // On a disk thread: the app's folder may not respond.
        let started = await queue.engine.disk.at(.folder(start.folder)).result { _ throws(DiskError) in
            Result { () throws(ServiceError) in try processes.start(start) }
        }
        do throws(ServiceError) {
            let process = try started.mapError(\.transferError).get().get()
            queue.take(.app(.launched(process, of: application, for: id)))
            processes.watch(process) { [weak queue] process in
                Task(name: "end of process \(process)") { await queue?.takeInOrder(.app(.processEnded(process))) }
            }
            logger.notice("launched an app", metadata: ["session": "\(id)", "process": "\(process)"])
        } catch {
            logger.warning("an app cannot be launched", metadata: ["session": "\(id)", "error": "\(error)"])
            await queue.takeInOrder(.app(.launchFailed(id)))
            // The app's other sessions relied on this launch.
            for other in queue.apps.sessions(of: application) where other != id { await consider(other) }
        }
        queue.take(.relaunchDelay(of: application))
        try? await journal.saveApplication(application, in: queue.apps)
    }

    /// Stores that launching a session's app failed again and is given up.
    func giveUp(_ session: SessionID) async throws(ServiceError) {
        logger.warning("gave up launching an app", metadata: ["session": "\(session)"])
        try await journal.saveRegistration(of: session, in: queue.apps)
    }
}
