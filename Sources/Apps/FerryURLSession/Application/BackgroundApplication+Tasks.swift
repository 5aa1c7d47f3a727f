public import Foundation

/// Background tasks: work that a launched process finishes before it exits, as with UIKit's `beginBackgroundTask`.
extension BackgroundApplication {
    /// The identifier of a background task. Mirrors UIKit's `UIBackgroundTaskIdentifier`.
    public struct BackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The identifier of no task.
        public static let invalid = BackgroundTaskIdentifier(rawValue: 0)
    }

    /// Time limit of a task in a launched process, in seconds.
    private static let taskLimit = 30.0

    /// The seconds that the process may continue to run: 30 if the daemon launched it to handle events, otherwise the
    /// greatest finite number.
    public var backgroundTimeRemaining: TimeInterval {
        life.isBackground ? Self.taskLimit : .greatestFiniteMagnitude
    }

    /// Begins a background task.
    ///
    /// A process that the daemon launched for events does not exit until the task has ended or 30 s have passed. Linux
    /// does not suspend other processes, so the call has no effect on them.
    ///
    /// - Parameters:
    ///   - taskName: A name for people; it has no effect.
    ///   - handler: Called on the main thread when the time limit of a launched process is reached. It must end the
    ///     task.
    /// - Returns: The identifier to pass to ``endBackgroundTask(_:)``; never `.invalid`.
    public func beginBackgroundTask(
        withName taskName: String? = nil, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> BackgroundTaskIdentifier {
        let number = life.beganTask()
        Task(name: "time of a background task") { @MainActor in
            try? await Task.sleep(for: .seconds(Self.taskLimit))
            guard life.isBackground, life.tasks.contains(number) else { return }
            handler?()
            // A task that the handler did not end stops holding the process here.
            endBackgroundTask(BackgroundTaskIdentifier(rawValue: number))
        }
        return BackgroundTaskIdentifier(rawValue: number)
    }

    /// Ends a background task. Does nothing if the task has already ended.
    public func endBackgroundTask(_ identifier: BackgroundTaskIdentifier) {
        if life.endedTask(identifier.rawValue) { endIfDone() }
    }
}
