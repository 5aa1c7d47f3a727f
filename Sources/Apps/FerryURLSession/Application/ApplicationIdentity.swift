import Foundation
import Synchronization

/// The identity of the app that this process belongs to. Background sessions belong to the app, not to one of its
/// processes.
package enum ApplicationIdentity {
    /// The environment variable with the app's identifier.
    static let variable = "FERRY_APPLICATION_ID"
    /// The environment variable with the identifier of the session that the daemon launched this process for.
    static let launchVariable = "FERRY_BACKGROUND_SESSION"

    /// The identifier of this process's app.
    package static let current = identifier(
        environment: ProcessInfo.processInfo.environment, bundle: Bundle.main.bundleIdentifier,
        executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))

    /// The identifier of the session that the daemon launched this process for; nil if the user started it.
    package static let launchedFor = ProcessInfo.processInfo.environment[launchVariable].flatMap {
        $0.isEmpty ? nil : $0
    }

    private static let isActive = Atomic(launchedFor == nil)

    /// Whether the daemon launched this process and the app has not become active since.
    package static var isBackground: Bool { !isActive.load(ordering: .sequentiallyConsistent) }

    static func becameActive() { isActive.store(true, ordering: .sequentiallyConsistent) }

    /// Returns the variable's value, else the bundle's identifier, else the executable's real path.
    static func identifier(environment: [String: String], bundle: String?, executable: String?) -> String {
        if let named = environment[variable], !named.isEmpty { return named }
        if let bundle, !bundle.isEmpty { return bundle }
        return executable ?? ProcessInfo.processInfo.processName
    }
}
