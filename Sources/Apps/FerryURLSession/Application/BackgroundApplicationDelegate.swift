import Foundation

/// The part of UIKit's `UIApplicationDelegate` that background sessions need.
///
/// With `typealias UIApplicationDelegate = BackgroundApplicationDelegate`, an iOS app delegate that uses nothing else
/// of UIKit compiles unchanged. All methods are called on the main thread and have default implementations.
@preconcurrency @MainActor public protocol BackgroundApplicationDelegate: AnyObject {
    /// The app has started. Create its background sessions here, so that they receive pending events.
    ///
    /// - Parameters:
    ///   - application: The application.
    ///   - launchOptions: Always nil.
    /// - Returns: Ignored.
    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The tasks of a background session have completed while no process of the app had the session open.
    ///
    /// Create the session with this identifier. Its delegate then receives the events, followed by
    /// `urlSessionDidFinishEvents(forBackgroundURLSession:)`.
    /// - Parameters:
    ///   - application: The application.
    ///   - identifier: The identifier of the session.
    ///   - completionHandler: Call it on any thread once the app has handled the events. A process that the daemon
    ///     launched exits after it.
    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)

    /// The user quits the app with SIGINT or SIGTERM. Its background transfers stop.
    func applicationWillTerminate(_ application: BackgroundApplication)
}

extension BackgroundApplicationDelegate {
    public func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    public func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }

    public func applicationWillTerminate(_ application: BackgroundApplication) {}
}
