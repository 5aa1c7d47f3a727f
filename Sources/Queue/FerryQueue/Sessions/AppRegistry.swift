package import FerryCore
package import FerryFoundation

/// Apps and their background sessions: the process holding each session, its pending notifications, and how to launch
/// its app.
///
/// Pure value: no clock, no I/O. The service owns it, passes events, and holds the connections.
package struct AppRegistry: Sendable {
    /// The process that has a session open.
    package struct Holder: Sendable {
        package let token: Int
        package let process: Int32
        /// Whether the process was launched for events and has not become active since.
        package fileprivate(set) var isBackground: Bool
        /// The listener of its event stream, or `nil` before there is one.
        package fileprivate(set) var listener: Int?
    }

    /// A launch of an app for one of its sessions, until a process attaches.
    private struct Launch: Sendable {
        package enum Stage: Sendable {
            /// The process is being created. Lasts until its folder responds.
            case starting
            case started(Int32)
            /// The retry waits for the delay after launches.
            case delayed
            /// The retry may be decided.
            case due
        }

        package var stage = Stage.starting
        /// Number of failed launches.
        package var failures = 0
    }

    private struct Session: Sendable {
        package var registration: SessionRegistration
        package var holder: Holder?
        /// Whether a transfer finished or asked its app for something since the app was notified or took its events.
        package var hasNews = false
        package var launch: Launch?

        package var isStarting: Bool {
            guard case .starting = launch?.stage else { return false }
            return true
        }

        /// Records that the app knows of all events.
        mutating func notified(at now: Date) {
            hasNews = false
            registration.notifiedAt = now
        }
    }

    /// A process with a listening run loop.
    private struct Listener: Sendable {
        package let connection: ApplicationConnection
        /// Sessions it was notified of and has not attached to yet.
        package var called: Set<SessionID>
    }

    /// A process launched here.
    private struct Launched: Sendable {
        package let application: String
        package var isBackground = true
        /// Whether its run loop listens, so that it can be notified of more sessions.
        package var isConnected = false
    }

    private var sessions: [SessionID: Session] = [:]
    private var applications: [String: ApplicationRecord] = [:]
    private var listeners: [Int: Listener] = [:]
    private var launched: [Int32: Launched] = [:]
    /// Whether apps that survived a daemon restart may still reconnect.
    private var isSettling = false
    private var lastToken = 0

    // MARK: After a start

    /// Restores the state stored by an earlier process.
    mutating func recover(
        _ applications: [String: ApplicationRecord],
        _ registrations: [(id: SessionID, registration: SessionRegistration, hasNews: Bool)]
    ) {
        self.applications = applications
        for (id, registration, hasNews) in registrations {
            sessions[id] = Session(registration: registration, hasNews: hasNews)
        }
    }

    /// Defers all decisions until apps that survived a daemon restart have had time to reconnect.
    ///
    /// - Parameter asking: Sessions with transfers that wait for their apps. They have news, no matter when they began
    ///   to wait.
    /// - Returns: Whether there is anything to decide afterwards.
    mutating func settle(asking: some Sequence<SessionID>) -> Bool {
        guard !sessions.isEmpty else { return false }
        for session in asking { sessions[session]?.hasNews = true }
        isSettling = true
        return true
    }

    /// Ends the time to reconnect.
    ///
    /// - Returns: The sessions to consider.
    mutating func endSettling() -> [SessionID] {
        isSettling = false
        return sessions.keys.sorted { $0.name < $1.name }
    }

    /// Whether a former holder of a session is alive, perhaps stopped, and has not reconnected.
    package func mayComeBack(isAlive: (ProcessMark) -> Bool) -> Bool {
        sessions.values.contains { $0.holder == nil && $0.registration.holder.map(isAlive) == true }
    }

    // MARK: Attached sessions

    package func holder(of id: SessionID) -> Holder? { sessions[id]?.holder }

    /// Makes a process the holder of a session.
    ///
    /// - Parameter mark: The process as the system shows it, or `nil` if it has exited.
    /// - Returns: The token of this opening.
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

    /// Records that the session's holder takes its events.
    ///
    /// - Returns: Whether it was notified of them, or launched for them.
    mutating func takeEvents(of id: SessionID, _ attachment: SessionAttachment, at now: Date) -> Bool {
        var wasCalled = attachment.isBackgroundLaunched
        for (token, listener) in listeners where listener.connection.process == attachment.process {
            if listeners[token]?.called.remove(id) != nil { wasCalled = true }
        }
        if wasCalled { sessions[id]?.notified(at: now) }
        return wasCalled
    }

    /// Records the listener of the holder's event stream.
    ///
    /// - Returns: Whether the process still holds the session.
    mutating func follows(_ id: SessionID, _ token: Int, listener: Int) -> Bool {
        guard sessions[id]?.holder?.token == token else { return false }
        sessions[id]?.holder?.listener = listener
        return true
    }

    /// Records that the holder's connection was closed, or that another process takes the session over.
    ///
    /// - Returns: Whether it held the session.
    mutating func close(_ id: SessionID, _ token: Int) -> Bool {
        guard sessions[id]?.holder?.token == token else { return false }
        sessions[id]?.holder = nil
        return true
    }

    /// Discards a session's last holder, so that a living process is not waited for.
    mutating func forgetHolder(of id: SessionID) { sessions[id]?.registration.holder = nil }

    /// Records that the user has force-quit a session. Its app is not notified of the transfers this ends.
    mutating func quit(_ id: SessionID, at now: Date) {
        sessions[id]?.registration.isQuit = true
        sessions[id]?.notified(at: now)
        sessions[id]?.launch = nil
    }

    // MARK: Apps

    /// Records a listening run loop.
    ///
    /// - Returns: The connection's token. Tokens increase.
    mutating func connect(_ connection: ApplicationConnection) -> Int {
        lastToken += 1
        // A process launched for a session handles that session's events without being notified.
        let called = connection.launchedFor.map { identifier in
            sessions(of: connection.application).filter { id in
                sessions[id]?.registration.identifier == identifier && sessions[id]?.holder == nil
            }
        }
        listeners[lastToken] = Listener(connection: connection, called: Set(called ?? []))
        launched[connection.process]?.isConnected = true
        return lastToken
    }

    /// Records a closed connection. Sessions the process was notified of and did not take have news again.
    ///
    /// - Returns: The app, or `nil` if there was no such connection.
    mutating func disconnect(_ token: Int) -> String? {
        guard let listener = listeners.removeValue(forKey: token) else { return nil }
        for id in listener.called where listener.connection.launchedFor != sessions[id]?.registration.identifier {
            sessions[id]?.hasNews = true
        }
        return listener.connection.application
    }

    /// Records that a process left the background.
    mutating func becameActive(_ process: Int32, of application: String) {
        launched[process]?.isBackground = false
        for id in sessions(of: application) where sessions[id]?.holder?.process == process {
            sessions[id]?.holder?.isBackground = false
        }
    }

    /// State to save because the user has started an app.
    package struct Foreground: Sendable {
        /// The name of the app.
        package let name: String
        package var registrations: [(id: SessionID, registration: SessionRegistration)] = []
        /// The app, if the delay after its launches was reset.
        package var application: ApplicationRecord?

        package var isEmpty: Bool { registrations.isEmpty && application == nil }
    }

    /// Records that the user has started an app. Clears force-quits and the delay after launches.
    ///
    /// - Parameter session: A session to save in any case.
    mutating func beginForeground(_ application: String, saving session: SessionID?) -> Foreground {
        var changed = Set(session.map { [$0] } ?? [])
        for id in sessions(of: application) where sessions[id]?.registration.isQuit == true {
            sessions[id]?.registration.isQuit = false
            changed.insert(id)
        }
        var foreground = Foreground(name: application)
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

    // MARK: Notifications and launches

    /// Records that a session's transfer has finished, or needs its app.
    ///
    /// - Returns: Whether an app is registered for the session.
    mutating func noteNews(of id: SessionID) -> Bool {
        sessions[id]?.hasNews = true
        return sessions[id] != nil
    }

    /// Whether an app may have to be notified of a session's events, or launched for them.
    package func mayCall(for id: SessionID, isAlive: (ProcessMark) -> Bool) -> Bool {
        guard !isSettling, let session = sessions[id], session.hasNews, session.holder == nil else { return false }
        return session.registration.holder.map(isAlive) != true
    }

    /// The state of a session's transfers, as far as it affects the decision about its app.
    package struct Work: Sendable {
        /// Whether there are finished transfers whose events the app has not taken.
        package let hasResults: Bool
        /// Whether transfers run, or wait for anything but their app.
        package let isWorking: Bool
        /// Whether a transfer waits for its app to answer a challenge.
        package let isAsking: Bool

        package init(hasResults: Bool, isWorking: Bool, isAsking: Bool) {
            self.hasResults = hasResults
            self.isWorking = isWorking
            self.isAsking = isAsking
        }
    }

    /// Decides whether to notify an app of a session's events, or to launch it.
    package func decide(_ id: SessionID, _ work: Work) -> LaunchRule.Decision {
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

    /// Marks the latest run loop of a session's app as notified of its events.
    ///
    /// - Returns: The connection to notify, and the session's identifier within the app.
    mutating func notify(_ id: SessionID) -> (token: Int, identifier: String)? {
        guard let session = sessions[id], let token = runLoop(of: session.registration.application) else { return nil }
        sessions[id]?.hasNews = false
        listeners[token]?.called.insert(id)
        return (token, session.registration.identifier)
    }

    private func runLoop(of application: String) -> Int? {
        listeners.filter { $0.value.connection.application == application }.keys.max()
    }

    /// Whether the app was notified of a session, or is being launched, and has not attached yet.
    private func isCalled(_ id: SessionID, of application: String) -> Bool {
        switch sessions[id]?.launch?.stage {
        case .started, .delayed: return true
        case .starting, .due, nil: break
        }
        if listeners.values.contains(where: { $0.called.contains(id) }) { return true }
        // A process launched for another session may be about to open this one too.
        if sessions.values.contains(where: { $0.registration.application == application && $0.isStarting }) {
            return true
        }
        return launched.values.contains { $0.application == application && $0.isBackground && !$0.isConnected }
    }

    /// Begins to launch a session's app, and sets the delay after launches.
    ///
    /// - Parameter first: The first delay, in seconds.
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

    /// Records that a process of an app was launched for a session. The session may have been force-quit or opened
    /// meanwhile.
    mutating func launched(_ process: Int32, of application: String, for id: SessionID) {
        sessions[id]?.launch?.stage = .started(process)
        launched[process] = Launched(application: application)
    }

    /// The consequence of a failed launch.
    package enum LaunchFailure: Equatable {
        case repeats(after: Double)
        case gaveUp
    }

    /// Records that a launch failed, or that its process exited without attaching.
    ///
    /// - Returns: `nil` if the session was force-quit or opened meanwhile.
    mutating func launchFailed(for id: SessionID, at now: Date) -> LaunchFailure? {
        guard let session = sessions[id], var launch = session.launch else { return nil }
        launch.failures += 1
        guard launch.failures <= LaunchRule.repetitions else {
            sessions[id]?.launch = nil
            sessions[id]?.notified(at: now)
            return .gaveUp
        }
        launch.stage = .delayed
        sessions[id]?.launch = launch
        return .repeats(after: applications[session.registration.application]?.relaunch.rest(now: now) ?? 0)
    }

    /// Records that the delay before repeating a launch has passed. Returns false if there is none to repeat.
    mutating func repeatLaunch(for id: SessionID) -> Bool {
        guard case .delayed = sessions[id]?.launch?.stage else { return false }
        sessions[id]?.launch?.stage = .due
        return true
    }

    /// Records that a process launched here has exited.
    ///
    /// - Returns: Its app, and the sessions whose launches failed with it. `nil` if the process was not launched here.
    mutating func ended(_ process: Int32) -> (application: String, failed: [SessionID])? {
        guard let application = launched.removeValue(forKey: process)?.application else { return nil }
        let failed = sessions(of: application).filter { id in
            guard case .started(process) = sessions[id]?.launch?.stage else { return false }
            return true
        }
        return (application, failed)
    }

    // MARK: Questions

    /// Whether an app is registered for a session.
    package func contains(_ id: SessionID) -> Bool { sessions[id] != nil }

    package func registration(of id: SessionID) -> SessionRegistration? { sessions[id]?.registration }

    package func record(of application: String) -> ApplicationRecord {
        applications[application] ?? ApplicationRecord()
    }

    /// Returns the sessions of an app, sorted by name.
    package func sessions(of application: String) -> [SessionID] {
        sessions.filter { $0.value.registration.application == application }.map(\.key).sorted { $0.name < $1.name }
    }

    /// Whether a session's app works in the background, so that its new transfers are delayed.
    package func isInBackground(_ id: SessionID) -> Bool {
        guard let holder = sessions[id]?.holder else { return false }
        return holder.isBackground || launched[holder.process]?.isBackground == true
    }

    /// Returns the remaining delay after launches for the session's transfers, in seconds.
    package func relaunchRest(of id: SessionID, at now: Date) -> Double {
        guard let application = sessions[id]?.registration.application else { return 0 }
        return applications[application]?.relaunch.rest(now: now) ?? 0
    }
}
