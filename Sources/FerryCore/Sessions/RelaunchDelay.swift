// Ferry: FerryCore
// How long an app's background work waits after a launch.

package import Foundation

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
