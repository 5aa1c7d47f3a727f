package import BackgroundURLSession
import Foundation

/// An app that follows its arguments and logs its events.
@MainActor package protocol ScriptedApp: BackgroundApplicationDelegate {
    var story: Story { get }

    /// Performs the steps in the arguments. Called once.
    func begin()
}

extension ScriptedApp {
    package func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        story.add("launched", application.applicationState == .background ? "background" : "active")
        begin()
        return true
    }

    package func applicationWillTerminate(_ application: BackgroundApplication) { story.add("will-terminate") }

    /// Runs the app until its process ends.
    ///
    /// - Parameter isApplication: Whether it uses `BackgroundApplication.run(delegate:)`.
    package func run(isApplication: Bool) {
        if isApplication { BackgroundApplication.shared.run(delegate: self) }
        begin()
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    /// Registers this program, with arguments and some of its environment variables, as the launch command.
    package func registerLaunch(_ arguments: [String], keeping variables: Set<String>) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let environment = ProcessInfo.processInfo.environment.filter { variables.contains($0.key) }
        try BackgroundApplication.shared.registerLaunchCommand([program] + arguments, environment: environment)
        story.add("registered")
    }
}
