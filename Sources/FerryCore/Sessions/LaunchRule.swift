package import FerryFoundation

/// Decides when and how an app is told that events of its session wait. Performs nothing.
package enum LaunchRule {
    /// What the decision depends on.
    package struct Situation: Hashable, Sendable {
        /// Whether a process has the session open.
        package var isAttached = false
        package var sendsLaunchEvents = true
        /// Whether the user has quit it, and has not started the app since.
        package var isQuit = false
        /// Whether something has ended, or asked its app, since the app was told or took its events.
        package var hasNews = true
        /// Whether transfers have ended whose events the app has not taken.
        package var hasResults = true
        /// Whether transfers run, or wait for anything but their app.
        package var isWorking = false
        /// Whether a transfer waits for its app to answer a server.
        package var isAsking = false
        /// Whether a process of the app listens with its run loop.
        package var hasRunLoop = false
        /// Whether the app was told already, or is being started, and has yet to attach.
        package var isCalled = false
        package var hasCommand = true

        package init() {}
    }

    package enum Decision: Hashable, Sendable {
        /// It is not the time, or the events wait for the user to start the app.
        case none
        /// The app's run loop is told.
        case tell
        /// The app is started.
        case launch
    }

    /// How often a launch is repeated that came to nothing.
    package static let repetitions = 3

    package static func decide(_ situation: Situation) -> Decision {
        guard !situation.isAttached, situation.sendsLaunchEvents, !situation.isQuit, situation.hasNews,
            situation.isAsking || (situation.hasResults && !situation.isWorking), !situation.isCalled
        else { return .none }
        if situation.hasRunLoop { return .tell }
        return situation.hasCommand ? .launch : .none
    }
}

/// How an app is started for its events; run without a shell.
package struct LaunchCommand: Hashable, Codable, Sendable {
    /// The program's absolute path, then its arguments.
    package var arguments: [String]
    /// Absolute path; nil is the user's home.
    package var workingFolder: String?
    /// Added to the daemon's own environment.
    package var environment: [String: String]

    package init(arguments: [String], workingFolder: String?, environment: [String: String]) {
        self.arguments = arguments
        self.workingFolder = workingFolder
        self.environment = environment
    }

    private enum CodingKeys: String, CodingKey {
        case arguments, environment
        case workingFolder = "working_folder"
    }
}

/// How long the tasks wait that an app creates in the background, after it was launched for events.
///
/// The first launch sets a delay; each launch before its end, and each that repeats one that failed, doubles it.
package struct RelaunchDelay: Hashable, Codable, Sendable {
    /// Length of the latest delay in seconds; 0 before the first launch.
    package private(set) var seconds = 0.0
    /// When it ends.
    package private(set) var until: Date?

    package init() {}

    /// Seconds left; a wall clock that was set back never makes them more than the whole.
    package func rest(now: Date) -> Double { min(seconds, max(0, until?.timeIntervalSince(now) ?? 0)) }

    /// The app was launched.
    ///
    /// - Parameters:
    ///   - first: seconds of a first delay.
    ///   - isRepeated: whether this launch repeats one that failed.
    package mutating func launched(first: Double, isRepeated: Bool, now: Date) {
        let isLonger = seconds > 0 && (isRepeated || rest(now: now) > 0)
        seconds = min(isLonger ? seconds * 2 : first, SettingRange<Double>.longest)
        until = now.addingTimeInterval(seconds)
    }

    /// A process that its user has started has attached.
    package mutating func foregroundAttached() { self = RelaunchDelay() }
}

/// What is kept of an app that has sessions; survives the daemon.
package struct ApplicationRecord: Hashable, Codable, Sendable {
    /// How it is started; nil if it is not to be.
    package var launch: LaunchCommand?
    package var relaunch = RelaunchDelay()

    package init() {}
}
