// Ferry: FerryService
// What the queue knows of apps and their sessions.

import FerryCore

/// What the queue knows of apps and the sessions that outlive them. Owned by the queue's actor.
struct SessionDesk: Sendable {
    /// The process that has a session open.
    struct Holder: Sendable {
        let token: Int
        let process: Int32
        /// Whether it was launched for events, and has not become active since.
        var isBackground: Bool
    }

    /// A launch of an app for one of its sessions, until a process attaches.
    struct Launch: Sendable {
        var process: Int32?
        /// Whether the process is being made, which takes as long as its folder does not answer.
        var isStarting = false
        /// Launches that came to nothing.
        var failures = 0
        /// Whether its repetition waits for the delay after launches.
        var isDelayed = false
    }

    struct Session: Sendable {
        var registration: SessionRegistration
        var holder: Holder?
        /// Whether something has ended, or asked its app, since the app was told or took its events.
        var hasNews = false
        var launch: Launch?

        fileprivate var isStarting: Bool { launch?.isStarting == true }
    }

    /// A process whose run loop listens.
    struct Listener: Sendable {
        let connection: ApplicationConnection
        let signals: AsyncThrowingStream<ApplicationSignal, any Error>.Continuation
        /// Sessions that it was told of and has yet to attach to.
        var called: Set<SessionID>
    }

    /// A process that was started here.
    struct Launched: Sendable {
        let application: String
        var isBackground = true
        /// Whether it listens with its run loop, so that it can be told of more sessions.
        var isConnected = false
    }

    var sessions: [SessionID: Session] = [:]
    var applications: [String: ApplicationRecord] = [:]
    var listeners: [Int: Listener] = [:]
    var launched: [Int32: Launched] = [:]
    /// Whether apps that lived through a restart of the daemon may still be about to come back.
    var isSettling = false
    /// Whether the daemon is about to end.
    var isEnding = false
    private var lastToken = 0

    mutating func token() -> Int {
        lastToken += 1
        return lastToken
    }

    func sessions(of application: String) -> [SessionID] {
        sessions.filter { $0.value.registration.application == application }.map(\.key).sorted { $0.name < $1.name }
    }

    /// Whether the app was told of a session, or is being started, and has yet to attach.
    func isCalled(_ id: SessionID, of application: String) -> Bool {
        if let launch = sessions[id]?.launch, launch.process != nil || launch.isDelayed { return true }
        if listeners.values.contains(where: { $0.called.contains(id) }) { return true }
        // A process that was started for another session may be about to open this one too.
        if sessions.values.contains(where: { $0.registration.application == application && $0.isStarting }) {
            return true
        }
        return launched.values.contains { $0.application == application && $0.isBackground && !$0.isConnected }
    }
}
