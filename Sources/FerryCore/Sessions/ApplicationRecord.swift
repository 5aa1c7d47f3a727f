// Ferry: FerryCore
// What is kept of an app.

/// What is kept of an app that has sessions; survives the daemon.
package struct ApplicationRecord: Hashable, Codable, Sendable {
    /// How it is started; nil if it is not to be.
    package var launch: LaunchCommand?
    package var relaunch = RelaunchDelay()

    package init() {}
}
