import Foundation

/// The part of UIKit's `UIApplicationDelegate` that background sessions need.
///
/// With `typealias UIApplicationDelegate = BackgroundApplicationDelegate` an iOS app delegate without other use of UIKit
/// compiles unchanged. All methods are called on the main thread, and all have defaults.
@preconcurrency @MainActor public protocol BackgroundApplicationDelegate: AnyObject {
    /// The app has started: the place to make its sessions, so that they get what they missed.
    ///
    /// - Parameter launchOptions: always nil.
    /// - Returns: not looked at.
    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The tasks of a background session have ended while no process of the app had the session open.
    ///
    /// Make the session with this identifier; its delegate then gets the events, and at last
    /// `urlSessionDidFinishEvents(forBackgroundURLSession:)`.
    /// - Parameter completionHandler: to be called on any thread once the app has dealt with the events. A process that
    ///   the daemon has launched ends after it.
    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)

    /// The user ends the app by SIGINT or SIGTERM: its background transfers end with it.
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
