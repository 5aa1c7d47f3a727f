package import BackgroundURLSession
import Foundation

/// An app that does what its arguments say and writes down what it is told.
@MainActor package protocol ScriptedApp: BackgroundApplicationDelegate {
    var story: Story { get }

    /// Begins with what the arguments say; called once.
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

    /// Runs the app for as long as its process lives.
    ///
    /// - Parameter isApplication: whether it uses `BackgroundApplication.run(delegate:)`.
    package func run(isApplication: Bool) {
        if isApplication { BackgroundApplication.shared.run(delegate: self) }
        begin()
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    /// Registers this program with arguments and some of its variables as what the daemon launches.
    package func registerLaunch(_ arguments: [String], keeping variables: Set<String>) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let environment = ProcessInfo.processInfo.environment.filter { variables.contains($0.key) }
        try BackgroundApplication.shared.registerLaunchCommand([program] + arguments, environment: environment)
        story.add("registered")
    }
}
