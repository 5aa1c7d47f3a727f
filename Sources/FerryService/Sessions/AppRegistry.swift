import FerryCore
import Foundation

/// What the queue knows of apps and of the sessions that outlive them: who has a session open, what it was told, and how its
/// app is started.
///
/// A value without clock and I/O. The service owns it, tells it what happens, and holds the connections.
struct AppRegistry: Sendable {
    /// The process that has a session open.
    struct Holder: Sendable {
        let token: Int
        let process: Int32
        /// Whether it was launched for events, and has not become active since.
        fileprivate(set) var isBackground: Bool
        /// The stream of its events; nil while there is none yet.
        fileprivate(set) var listener: Int?
    }

    /// A launch of an app for one of its sessions, until a process attaches.
    private struct Launch: Sendable {
        enum Stage: Sendable {
            /// The process is being made, which takes as long as its folder does not answer.
            case starting
            case started(Int32)
            /// Its repetition waits for the delay after launches.
            case delayed
            /// Its repetition may be decided about.
            case due
        }

        var stage = Stage.starting
        /// Launches that came to nothing.
        var failures = 0
    }

    private struct Session: Sendable {
        var registration: SessionRegistration
        var holder: Holder?
        /// Whether something has ended, or asked its app, since the app was told or took its events.
        var hasNews = false
        var launch: Launch?

        var isStarting: Bool {
            guard case .starting = launch?.stage else { return false }
            return true
        }

        /// Notes that the app knows of everything that has happened.
        mutating func told(at now: Date) {
            hasNews = false
            registration.toldAt = now
        }
    }

    /// A process whose run loop listens.
    private struct Listener: Sendable {
        let connection: ApplicationConnection
        /// Sessions that it was told of and has yet to attach to.
        var called: Set<SessionID>
    }

    /// A process that was started here.
    private struct Launched: Sendable {
        let application: String
        var isBackground = true
        /// Whether it listens with its run loop, so that it can be told of more sessions.
        var isConnected = false
    }

    private var sessions: [SessionID: Session] = [:]
    private var applications: [String: ApplicationRecord] = [:]
    private var listeners: [Int: Listener] = [:]
    private var launched: [Int32: Launched] = [:]
    /// Whether apps that lived through a restart of the daemon may still be about to come back.
    private var isSettling = false
    private var lastToken = 0

    // MARK: After a start

    /// Takes up what an earlier process knew.
    mutating func recover(
        _ applications: [String: ApplicationRecord],
        _ registrations: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)]
    ) {
        self.applications = applications
        for (id, registration, hasNews) in registrations {
            sessions[id] = Session(registration: registration, hasNews: hasNews)
        }
    }

    /// Makes no decision about a session until apps that live through a restart of the daemon have had the time to come back.
    ///
    /// - Parameter asking: sessions whose transfers ask their apps: these sessions have news, no matter when the transfers began
    ///   to ask.
    /// - Returns: whether there is something to decide then.
    mutating func settle(asking: some Sequence<SessionID>) -> Bool {
        guard !sessions.isEmpty else { return false }
        for session in asking { sessions[session]?.hasNews = true }
        isSettling = true
        return true
    }

    /// Ends that time.
    ///
    /// - Returns: the sessions that are to be considered.
    mutating func endSettling() -> [SessionID] {
        isSettling = false
        return sessions.keys.sorted { $0.name < $1.name }
    }

    /// Whether a process that had its session open lives, stopped perhaps, and has not come back.
    func mayComeBack(isAlive: (ProcessMark) -> Bool) -> Bool {
        sessions.values.contains { $0.holder == nil && $0.registration.holder.map(isAlive) == true }
    }

    // MARK: Sessions that are open

    func holder(of id: SessionID) -> Holder? { sessions[id]?.holder }

    /// Makes a process the one that has a session open.
    ///
    /// - Parameter mark: the process as the system shows it; nil if it is gone.
    /// - Returns: what names this opening.
    mutating func open(_ id: SessionID, _ attachment: SessionAttachment, by mark: ProcessMark?) -> Int {
        lastToken += 1
        var registration =
            sessions[id]?.registration
            ?? SessionRegistration(
                application: attachment.application, identifier: attachment.identifier, sendsLaunchEvents: true)
        registration.sendsLaunchEvents = attachment.sendsLaunchEvents
        registration.isManager = attachment.isManager
        registration.holder = mark
        var session = sessions[id] ?? Session(registration: registration)
        session.registration = registration
        session.holder = Holder(
            token: lastToken, process: attachment.process, isBackground: attachment.isBackgroundLaunched)
        session.launch = nil
        sessions[id] = session
        return lastToken
    }

    /// Notes that the process that has opened a session takes its events.
    ///
    /// - Returns: whether it was told of them, or started for them.
    mutating func takeEvents(of id: SessionID, _ attachment: SessionAttachment, at now: Date) -> Bool {
        var wasCalled = attachment.isBackgroundLaunched
        for (token, listener) in listeners where listener.connection.process == attachment.process {
            if listeners[token]?.called.remove(id) != nil { wasCalled = true }
        }
        if wasCalled { sessions[id]?.told(at: now) }
        return wasCalled
    }

    /// Notes which stream tells the process that has opened a session.
    ///
    /// - Returns: whether the session is still the process's.
    mutating func follows(_ id: SessionID, _ token: Int, listener: Int) -> Bool {
        guard sessions[id]?.holder?.token == token else { return false }
        sessions[id]?.holder?.listener = listener
        return true
    }

    /// Notes that the connection of a process is gone, or that another one takes the session over.
    ///
    /// - Returns: whether it had the session open.
    mutating func close(_ id: SessionID, _ token: Int) -> Bool {
        guard sessions[id]?.holder?.token == token else { return false }
        sessions[id]?.holder = nil
        return true
    }

    /// Forgets which process had a session open: one that lives is not waited for.
    mutating func forgetHolder(of id: SessionID) { sessions[id]?.registration.holder = nil }

    /// Notes that the user has quit a session: nothing that ends is told of.
    mutating func quit(_ id: SessionID, at now: Date) {
        sessions[id]?.registration.isQuit = true
        sessions[id]?.told(at: now)
        sessions[id]?.launch = nil
    }

    // MARK: Apps

    /// Notes that a process listens with its run loop.
    ///
    /// - Returns: what names its connection; it rises.
    mutating func connect(_ connection: ApplicationConnection) -> Int {
        lastToken += 1
        // A process that was launched for a session calls itself to handle that one's events.
        let called = connection.launchedFor.map { identifier in
            sessions(of: connection.application).filter { id in
                sessions[id]?.registration.identifier == identifier && sessions[id]?.holder == nil
            }
        }
        listeners[lastToken] = Listener(connection: connection, called: Set(called ?? []))
        launched[connection.process]?.isConnected = true
        return lastToken
    }

    /// Notes that a connection is gone; what its process was told of and did not take is told again.
    ///
    /// - Returns: the app; nil if there was no such connection.
    mutating func disconnect(_ token: Int) -> String? {
        guard let listener = listeners.removeValue(forKey: token) else { return nil }
        for id in listener.called where listener.connection.launchedFor != sessions[id]?.registration.identifier {
            sessions[id]?.hasNews = true
        }
        return listener.connection.application
    }

    /// Notes that a process is no more at work in the background.
    mutating func becameActive(_ process: Int32, of application: String) {
        launched[process]?.isBackground = false
        for id in sessions(of: application) where sessions[id]?.holder?.process == process {
            sessions[id]?.holder?.isBackground = false
        }
    }

    /// What is to be saved because the user has started an app.
    struct Foreground: Sendable {
        var registrations: [(id: SessionID, registration: SessionRegistration)] = []
        /// The app, if the delay after its launches has ended.
        var application: ApplicationRecord?

        var isEmpty: Bool { registrations.isEmpty && application == nil }
    }

    /// Notes that its user has started an app: what was quit is forgotten, and so is the delay after launches.
    ///
    /// - Parameter session: one that is to be saved in any case.
    mutating func beginForeground(_ application: String, saving session: SessionID?) -> Foreground {
        var changed = Set(session.map { [$0] } ?? [])
        for id in sessions(of: application) where sessions[id]?.registration.isQuit == true {
            sessions[id]?.registration.isQuit = false
            changed.insert(id)
        }
        var foreground = Foreground()
        foreground.registrations = changed.compactMap { id in sessions[id].map { (id, $0.registration) } }
        if let record = applications[application], record.relaunch != RelaunchDelay() {
            applications[application]?.relaunch.foregroundAttached()
            foreground.application = applications[application]
        }
        return foreground
    }

    mutating func setCommand(_ command: LaunchCommand?, of application: String) {
        applications[application, default: ApplicationRecord()].launch = command
    }

    // MARK: Telling and launching

    /// Notes that a transfer of a session has ended, or asks its app for something.
    ///
    /// - Returns: whether there is an app for the session.
    mutating func noteNews(of id: SessionID) -> Bool {
        sessions[id]?.hasNews = true
        return sessions[id] != nil
    }

    /// Whether an app may have to be told of a session's events, or started for them.
    func mayCall(for id: SessionID, isAlive: (ProcessMark) -> Bool) -> Bool {
        guard !isSettling, let session = sessions[id], session.hasNews, session.holder == nil else { return false }
        return session.registration.holder.map(isAlive) != true
    }

    /// What the transfers of a session say to the decision about its app.
    struct Work: Sendable {
        /// Whether transfers have ended whose events the app has not taken.
        let hasResults: Bool
        /// Whether transfers run, or wait for anything but their app.
        let isWorking: Bool
        /// Whether a transfer waits for its app to answer a server.
        let isAsking: Bool
    }

    /// Decides whether an app is told of a session's events, or started for them.
    func decide(_ id: SessionID, _ work: Work) -> LaunchRule.Decision {
        guard let session = sessions[id] else { return .none }
        let application = session.registration.application
        var situation = LaunchRule.Situation()
        situation.isAttached = session.holder != nil
        situation.sendsLaunchEvents = session.registration.sendsLaunchEvents
        situation.isQuit = session.registration.isQuit
        situation.hasNews = session.hasNews
        situation.hasResults = work.hasResults
        situation.isWorking = work.isWorking
        situation.isAsking = work.isAsking
        situation.hasRunLoop = runLoop(of: application) != nil
        situation.isCalled = isCalled(id, of: application)
        situation.hasCommand = applications[application]?.launch != nil
        return LaunchRule.decide(situation)
    }

    /// Notes that the latest run loop of a session's app is told of its events.
    ///
    /// - Returns: the connection that is told, and the session's identifier within the app.
    mutating func tell(_ id: SessionID) -> (token: Int, identifier: String)? {
        guard let session = sessions[id], let token = runLoop(of: session.registration.application) else { return nil }
        sessions[id]?.hasNews = false
        listeners[token]?.called.insert(id)
        return (token, session.registration.identifier)
    }

    private func runLoop(of application: String) -> Int? {
        listeners.filter { $0.value.connection.application == application }.keys.max()
    }

    /// Whether the app was told of a session, or is being started, and has yet to attach.
    private func isCalled(_ id: SessionID, of application: String) -> Bool {
        switch sessions[id]?.launch?.stage {
        case .started, .delayed: return true
        case .starting, .due, nil: break
        }
        if listeners.values.contains(where: { $0.called.contains(id) }) { return true }
        // A process that was started for another session may be about to open this one too.
        if sessions.values.contains(where: { $0.registration.application == application && $0.isStarting }) {
            return true
        }
        return launched.values.contains { $0.application == application && $0.isBackground && !$0.isConnected }
    }

    /// Begins to start a session's app, and sets the delay after launches.
    ///
    /// - Parameter first: seconds of a first delay.
    mutating func beginLaunch(
        for id: SessionID, first: Double, at now: Date
    ) -> (command: LaunchCommand, identifier: String)? {
        guard let registration = sessions[id]?.registration,
            let command = applications[registration.application]?.launch
        else { return nil }
        var launch = sessions[id]?.launch ?? Launch()
        launch.stage = .starting
        applications[registration.application]?.relaunch.launched(
            first: first, isRepeated: launch.failures > 0, now: now)
        sessions[id]?.launch = launch
        return (command, registration.identifier)
    }

    /// Notes that a process of an app has been started for a session; the session may have been quit, or opened, meanwhile.
    mutating func launched(_ process: Int32, of application: String, for id: SessionID) {
        sessions[id]?.launch?.stage = .started(process)
        launched[process] = Launched(application: application)
    }

    /// What follows from a launch that came to nothing.
    enum LaunchFailure: Equatable {
        case repeats(after: Double)
        case gaveUp
    }

    /// Notes that a launch could not be made, or that its process ended without having attached.
    ///
    /// - Returns: nil if the session was quit or opened meanwhile.
    mutating func launchFailed(for id: SessionID, at now: Date) -> LaunchFailure? {
        guard let session = sessions[id], var launch = session.launch else { return nil }
        launch.failures += 1
        guard launch.failures <= LaunchRule.repetitions else {
            sessions[id]?.launch = nil
            sessions[id]?.told(at: now)
            return .gaveUp
        }
        launch.stage = .delayed
        sessions[id]?.launch = launch
        return .repeats(after: applications[session.registration.application]?.relaunch.rest(now: now) ?? 0)
    }

    /// Notes that the delay before a launch is repeated has ended; false if nothing is to be repeated.
    mutating func repeatLaunch(for id: SessionID) -> Bool {
        guard case .delayed = sessions[id]?.launch?.stage else { return false }
        sessions[id]?.launch?.stage = .due
        return true
    }

    /// Notes that a process that was started here has ended.
    ///
    /// - Returns: its app, and the sessions whose launches have failed with it; nil if no such process was started.
    mutating func ended(_ process: Int32) -> (application: String, failed: [SessionID])? {
        guard let application = launched.removeValue(forKey: process)?.application else { return nil }
        let failed = sessions(of: application).filter { id in
            guard case .started(process) = sessions[id]?.launch?.stage else { return false }
            return true
        }
        return (application, failed)
    }

    // MARK: Questions

    /// Whether an app has a session.
    func contains(_ id: SessionID) -> Bool { sessions[id] != nil }

    func registration(of id: SessionID) -> SessionRegistration? { sessions[id]?.registration }

    func record(of application: String) -> ApplicationRecord { applications[application] ?? ApplicationRecord() }

    /// The sessions of an app, by their names.
    func sessions(of application: String) -> [SessionID] {
        sessions.filter { $0.value.registration.application == application }.map(\.key).sorted { $0.name < $1.name }
    }

    /// Whether the app of a session is at work in the background, so that its new transfers wait.
    func isInBackground(_ id: SessionID) -> Bool {
        guard let holder = sessions[id]?.holder else { return false }
        return holder.isBackground || launched[holder.process]?.isBackground == true
    }

    /// Seconds that a transfer waits for the delay after its app's launches to end.
    func relaunchRest(of id: SessionID, at now: Date) -> Double {
        guard let application = sessions[id]?.registration.application else { return 0 }
        return applications[application]?.relaunch.rest(now: now) ?? 0
    }
}
