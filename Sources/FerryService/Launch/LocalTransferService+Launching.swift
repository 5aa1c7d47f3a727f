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
    func recoverSessions() async throws(TransferError) {
        let (applications, registrations) = try await journal.read { reader throws(TransferError) in
            var found: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)] = []
            for (id, registration) in try reader.registrations() {
                found.append((id, registration, try reader.hasEnded(id, after: registration.toldAt)))
            }
            return (try reader.applications(), found)
        }
        queue.desk.recover(applications, registrations)
    }

    /// Looks at all sessions once those that live through a restart have had the time to come back.
    func settleSessions() {
        guard queue.desk.settle(asking: lines.asking.keys) else { return }
        setAlarm(Alarm(due: .now + .wait(seconds: Self.settlingTime * configuration.delayScale), cause: .settling))
    }

    func endSettling() async {
        for id in queue.desk.endSettling() { await consider(id) }
        // It has not let go of its session.
        if queue.desk.mayComeBack(isAlive: \.isAlive) {
            setAlarm(Alarm(due: .now + .seconds(Self.settlingTime), cause: .settling))
        }
    }

    /// A transfer of a session has ended, or asks its app for something.
    func noteNews(of id: SessionID) async {
        if queue.desk.noteNews(of: id) { await consider(id) }
    }

    func considerAll(of application: String) async {
        for id in queue.desk.sessions(of: application) { await consider(id) }
    }

    /// Tells a session's app that events wait, or starts it, if it is the time.
    func consider(_ id: SessionID) async {
        guard !isShuttingDown, queue.desk.mayCall(for: id, isAlive: \.isAlive) else { return }
        let asking = lines.asking[id, default: 0]
        await attempt { () async throws(TransferError) in
            let work = try await journal.read { reader throws(TransferError) in
                SessionDesk.Work(
                    hasResults: try reader.hasEnded(id), isWorking: try reader.hasPending(id, besides: asking),
                    isAsking: asking > 0)
            }
            guard !isShuttingDown else { return }
            // Another process may have attached, or the app may have been told, while the journal was read.
            switch queue.desk.decide(id, work) {
            case .none: break
            case .tell:
                guard let (token, identifier) = queue.desk.tell(id) else { return }
                ties.signal(token, .handleEvents(session: identifier))
            case .launch: try await launch(id)
            }
        }
    }

    // MARK: Launches

    private func launch(_ id: SessionID) async throws(TransferError) {
        guard let application = queue.desk.registration(of: id)?.application,
            let (command, identifier) = queue.desk.beginLaunch(for: id, first: configuration.relaunchDelay, at: Date())
        else { return }
        let start = ProgramStart(
            command, application: application, session: identifier,
            environment: configuration.environment, umask: configuration.umask)
        // On a thread that may be held up: the app's folder may be one that does not answer.
        let started = await engine.disk.at(.folder(start.folder)).result { _ throws(DiskError) in
            Result { () throws(TransferError) in try start.run() }
        }
        do throws(TransferError) {
            let process = try started.mapError(\.transferError).get().get()
            queue.desk.launched(process, of: application, for: id)
            ProgramStart.watch(process) { [weak self] process in
                Task(name: "end of process \(process)") { await self?.processEnded(process) }
            }
            logger.notice("launched an app", metadata: ["session": "\(id)", "process": "\(process)"])
        } catch {
            logger.warning("an app cannot be launched", metadata: ["session": "\(id)", "error": "\(error)"])
            await launchFailed(id)
            // Its other sessions have counted on this launch.
            for other in queue.desk.sessions(of: application) where other != id { await consider(other) }
        }
        take(.relaunchDelay(of: application))
        try await saveApplication(application)
    }

    private func processEnded(_ process: Int32) async {
        guard let (application, failed) = queue.desk.ended(process), !isShuttingDown else { return }
        for id in failed { await launchFailed(id) }
        await considerAll(of: application)
    }

    private func launchFailed(_ id: SessionID) async {
        switch queue.desk.launchFailed(for: id, at: Date()) {
        case nil: return
        case .repeats(let rest): setAlarm(Alarm(due: .now + .wait(seconds: rest), cause: .launch(id)))
        case .gaveUp:
            logger.warning("gave up launching an app", metadata: ["session": "\(id)"])
            await attempt { () async throws(TransferError) in try await saveRegistration(id) }
        }
    }

    /// The delay before a launch is repeated has ended.
    func repeatLaunch(_ id: SessionID) async {
        if queue.desk.repeatLaunch(for: id) { await consider(id) }
    }
}
