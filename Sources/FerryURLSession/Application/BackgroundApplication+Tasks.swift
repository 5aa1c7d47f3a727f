public import Foundation

/// Tasks that a process finishes before it ends, as UIKit's `beginBackgroundTask` has them.
extension BackgroundApplication {
    /// Names a task that was begun. Code for UIKit knows it as `UIBackgroundTaskIdentifier`.
    public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Names no task.
        public static let invalid = BackgroundTaskIdentifier(rawValue: 0)
    }

    /// Seconds that a launched process has for a task.
    private static let taskLimit = 30.0

    /// The seconds for which the process may go on: 30 if the daemon has launched it to handle events, otherwise the greatest
    /// finite number.
    public var backgroundTimeRemaining: TimeInterval {
        life.isBackground ? Self.taskLimit : .greatestFiniteMagnitude
    }

    /// Begins a task: a process that the daemon has launched for events does not end by itself until the task was ended, or has had
    /// 30 s. Other processes on Linux are not suspended, and lose nothing.
    ///
    /// - Parameters:
    ///   - taskName: for people; nothing follows from it.
    ///   - handler: called on the main thread when the time of a launched process is over; it ends the task.
    /// - Returns: what ``endBackgroundTask(_:)`` needs; never `.invalid`.
    public func beginBackgroundTask(
        withName taskName: String? = nil, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        let number = life.beganTask()
        Task(name: "time of a background task") { @MainActor in
            try? await Task.sleep(for: .seconds(Self.taskLimit))
            guard life.isBackground, life.tasks.contains(number) else { return }
            handler?()
            // One that is not ended holds the process no longer.
            endBackgroundTask(BackgroundTaskIdentifier(rawValue: number))
        }
        return BackgroundTaskIdentifier(rawValue: number)
    }

    /// Ends a task; one that is not under way changes nothing.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        if life.endedTask(identifier.rawValue) { endIfDone() }
    }
}
