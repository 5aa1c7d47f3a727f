package import FerryFoundation

/// Decides when and how to notify an app of waiting events. Performs nothing.
package enum LaunchRule {
    /// The inputs of the decision.
    package struct Situation: Hashable, Sendable {
        /// Whether a process has attached to the session.
        package var isAttached = false
        package var sendsLaunchEvents = true
        /// Whether the user has quit the session and has not started the app since.
        package var isQuit = false
        /// Whether a transfer has finished, or needs its app, since the app was last notified or took its events.
        package var hasNews = true
        /// Whether finished transfers have events that the app has not taken.
        package var hasResults = true
        /// Whether transfers are running, or waiting for anything but their app.
        package var isWorking = false
        /// Whether a transfer waits for its app to answer a server.
        package var isAsking = false
        /// Whether the run loop of a process of the app is connected.
        package var hasRunLoop = false
        /// Whether the app was notified or is being launched and has not attached yet.
        package var isCalled = false
        package var hasCommand = true

        package init() {}
    }

    package enum Decision: Hashable, Sendable {
        /// Does nothing: it is too early, or the user must start the app.
        case none
        /// Notifies the app's run loop.
        case notify
        /// Launches the app.
        case launch
    }

    /// Maximum number of repeated launches after failed ones.
    package static let repetitions = 3

    package static func decide(_ situation: Situation) -> Decision {
        guard !situation.isAttached, situation.sendsLaunchEvents, !situation.isQuit, situation.hasNews,
            situation.isAsking || (situation.hasResults && !situation.isWorking), !situation.isCalled
        else { return .none }
        if situation.hasRunLoop { return .notify }
        return situation.hasCommand ? .launch : .none
    }
}

/// The command that launches an app for its events. Run without a shell.
package struct LaunchCommand: Hashable, Codable, Sendable {
    /// The program's absolute path and its arguments.
    package var arguments: [String]
    /// Absolute path. Nil for the user's home.
    package var workingFolder: String?
    /// Added to the daemon's environment.
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

/// The delay of tasks that an app creates in the background after a launch for events.
///
/// The first launch sets the delay. Each launch before its end doubles it, and so does each repetition of a failed
/// launch.
package struct RelaunchDelay: Hashable, Codable, Sendable {
    /// Length of the current delay in seconds. 0 before the first launch.
    package private(set) var seconds = 0.0
    /// End of the delay.
    package private(set) var until: Date?

    package init() {}

    /// Remaining seconds. Setting the wall clock back never lengthens the whole delay.
    package func rest(now: Date) -> Double { min(seconds, max(0, until?.timeIntervalSince(now) ?? 0)) }

    /// Records a launch.
    ///
    /// - Parameters:
    ///   - first: Initial delay in seconds.
    ///   - isRepeated: Whether this launch repeats a failed one.
    package mutating func launched(first: Double, isRepeated: Bool, now: Date) {
        let isLonger = seconds > 0 && (isRepeated || rest(now: now) > 0)
        let backoff = Backoff(first: first, longest: SettingRange<Double>.longest)
        seconds = isLonger ? backoff.delay(after: seconds) : backoff.delay(afterFailures: 1)
        until = now.addingTimeInterval(seconds)
    }

    /// Resets the delay, because a process started by its user has attached.
    package mutating func foregroundAttached() { self = RelaunchDelay() }
}

/// The record of an app with sessions. Persistent.
package struct ApplicationRecord: Hashable, Codable, Sendable {
    /// The launch command, or nil if the app is not launched.
    package var launch: LaunchCommand?
    package var relaunch = RelaunchDelay()

    package init() {}
}
