// Ferry: FerryCore
// When an app is told of its session's events.

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
