// Ferry: FerryService
// Telling an app that events wait, and starting it for them.

import FerryCore
import FerryEngine
import FerryStore
import Foundation
import Logging

extension LocalTransferService {
    /// Seconds after the daemon's start in which apps that lived through a restart come back.
    private static let settlingTime = 5.0

    /// The daemon is about to end: connections that break from here on say nothing about their processes.
    ///
    /// Runs stop from here on, while the server still waits for its connections.
    package func prepareToEnd() {
        desk.isEnding = true
        beginEnd()
    }

    /// Takes up what an earlier process knew of apps and sessions.
    func recoverSessions() async throws(TransferError) {
        let (applications, registrations) = try await journal.read { reader throws(TransferError) in
            (try reader.applications(), try reader.registrations())
        }
        desk.applications = applications
        for (id, registration) in registrations {
            let hasNews = try await journal.read { reader throws(TransferError) in
                try reader.hasEnded(id, after: registration.toldAt)
            }
            desk.sessions[id] = SessionDesk.Session(registration: registration, hasNews: hasNews)
        }
    }

    /// Looks at all sessions once those that live through a restart have had the time to come back.
    func settleSessions() {
        guard !desk.sessions.isEmpty else { return }
        // A session whose transfer asks its app has news, whenever it began to ask.
        for session in lines.asking.keys { desk.sessions[session]?.hasNews = true }
        desk.isSettling = true
        setAlarm(Alarm(due: .now + .wait(seconds: Self.settlingTime * configuration.delayScale), cause: .settling))
    }

    func endSettling() async {
        desk.isSettling = false
        for id in desk.sessions.keys.sorted(by: { $0.name < $1.name }) { await consider(id) }
        // A process that had its session open and lives, stopped perhaps, has not let go of it.
        if desk.sessions.values.contains(where: { $0.holder == nil && $0.registration.holder?.isAlive == true }) {
            setAlarm(Alarm(due: .now + .seconds(Self.settlingTime), cause: .settling))
        }
    }

    /// A transfer of a session has ended, or asks its app for something.
    func noteNews(of id: SessionID) async {
        guard desk.sessions[id] != nil else { return }
        desk.sessions[id]?.hasNews = true
        await consider(id)
    }

    func considerAll(of application: String) async {
        for id in desk.sessions(of: application) { await consider(id) }
    }

    /// Tells a session's app that events wait, or starts it, if it is the time.
    func consider(_ id: SessionID) async {
        guard !desk.isEnding, !isShuttingDown, !desk.isSettling, let session = desk.sessions[id], session.hasNews,
            session.holder == nil, session.registration.holder?.isAlive != true
        else { return }
        let asking = lines.asking[id, default: 0]
        await attempt { () async throws(TransferError) in
            let (isWorking, hasResults) = try await journal.read { reader throws(TransferError) in
                (try reader.hasPending(id, besides: asking), try reader.hasEnded(id))
            }
            // Looks again: somebody may have attached, or told it, while the journal was read.
            guard !desk.isEnding, !isShuttingDown, let session = desk.sessions[id] else { return }
            let application = session.registration.application
            var situation = LaunchRule.Situation()
            situation.isAttached = session.holder != nil
            situation.sendsLaunchEvents = session.registration.sendsLaunchEvents
            situation.isQuit = session.registration.isQuit
            situation.hasNews = session.hasNews
            situation.hasResults = hasResults
            situation.isWorking = isWorking
            situation.isAsking = asking > 0
            situation.hasRunLoop = runLoop(of: application) != nil
            situation.isCalled = desk.isCalled(id, of: application)
            situation.hasCommand = desk.applications[application]?.launch != nil
            switch LaunchRule.decide(situation) {
            case .none: break
            case .tell: tell(id, of: application)
            case .launch: try await launch(id, of: application)
            }
        }
    }

    /// The connection of an app's latest process.
    private func runLoop(of application: String) -> Int? {
        desk.listeners.filter { $0.value.connection.application == application }.keys.max()
    }

    private func tell(_ id: SessionID, of application: String) {
        guard let token = runLoop(of: application), let session = desk.sessions[id] else { return }
        desk.sessions[id]?.hasNews = false
        desk.listeners[token]?.called.insert(id)
        desk.listeners[token]?.signals.yield(.handleEvents(session: session.registration.identifier))
    }

    // MARK: Launches

    private func launch(_ id: SessionID, of application: String) async throws(TransferError) {
        guard let command = desk.applications[application]?.launch, let session = desk.sessions[id] else { return }
        var launch = session.launch ?? SessionDesk.Launch()
        desk.applications[application]?.relaunch.launched(
            first: configuration.relaunchDelay, isRepeated: launch.failures > 0, now: Date())
        let start = ProgramStart(
            command, application: application, session: session.registration.identifier,
            environment: configuration.environment, umask: configuration.umask)
        launch.isStarting = true
        desk.sessions[id]?.launch = launch
        // On a thread that may be held up: the app's folder may be one that does not answer.
        let started = await engine.disk.at(.folder(start.folder)).result { _ throws(DiskError) in
            Result { () throws(TransferError) in try start.run() }
        }
        launch.isStarting = false
        do throws(TransferError) {
            let process = try started.mapError(\.transferError).get().get()
            launch.process = process
            // It may have been quit meanwhile.
            if desk.sessions[id]?.launch != nil { desk.sessions[id]?.launch = launch }
            desk.launched[process] = SessionDesk.Launched(application: application)
            ProgramStart.watch(process) { [weak self] process in
                Task(name: "end of process \(process)") { await self?.processEnded(process) }
            }
            logger.notice("launched an app", metadata: ["session": "\(id)", "process": "\(process)"])
        } catch {
            logger.warning("an app cannot be launched", metadata: ["session": "\(id)", "error": "\(error)"])
            desk.sessions[id]?.launch = launch
            await launchFailed(id)
            // Its other sessions have counted on this launch.
            for other in desk.sessions(of: application) where other != id { await consider(other) }
        }
        followRelaunchDelay(of: application)
        try await saveApplication(application)
    }

    private func processEnded(_ process: Int32) async {
        guard let launched = desk.launched.removeValue(forKey: process), !desk.isEnding, !isShuttingDown else { return }
        for id in desk.sessions(of: launched.application) where desk.sessions[id]?.launch?.process == process {
            await launchFailed(id)
        }
        await considerAll(of: launched.application)
    }

    /// A launch could not be made, or its process ended without having attached.
    private func launchFailed(_ id: SessionID) async {
        guard var launch = desk.sessions[id]?.launch, let registration = desk.sessions[id]?.registration else { return }
        launch.process = nil
        launch.failures += 1
        if launch.failures <= LaunchRule.repetitions {
            launch.isDelayed = true
            desk.sessions[id]?.launch = launch
            let rest = desk.applications[registration.application]?.relaunch.rest(now: Date()) ?? 0
            setAlarm(Alarm(due: .now + .wait(seconds: rest), cause: .launch(id)))
            return
        }
        logger.warning("gave up launching an app", metadata: ["session": "\(id)"])
        desk.sessions[id]?.launch = nil
        desk.sessions[id]?.hasNews = false
        desk.sessions[id]?.registration.toldAt = Date()
        await attempt { () async throws(TransferError) in try await saveRegistration(id) }
    }

    /// The delay before a launch is repeated is over.
    func repeatLaunch(_ id: SessionID) async {
        guard desk.sessions[id]?.launch?.isDelayed == true else { return }
        desk.sessions[id]?.launch?.isDelayed = false
        await consider(id)
    }
}
