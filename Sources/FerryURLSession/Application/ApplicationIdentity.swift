import Foundation
import Synchronization

/// Which app this process belongs to. Background sessions belong to the app, whichever of its processes opens them.
package enum ApplicationIdentity {
    /// The variable that names the app.
    static let variable = "FERRY_APPLICATION_ID"
    /// The variable that names the session that the daemon has started this process for.
    static let launchVariable = "FERRY_BACKGROUND_SESSION"

    /// The identifier of this process's app.
    package static let current = identifier(
        environment: ProcessInfo.processInfo.environment, bundle: Bundle.main.bundleIdentifier,
        executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))

    /// The session that the daemon has started this process for; nil if its user has started it.
    package static let launchedFor = ProcessInfo.processInfo.environment[launchVariable].flatMap {
        $0.isEmpty ? nil : $0
    }

    private static let isActive = Atomic(launchedFor == nil)

    /// Whether the daemon has started this process and it has not become active since.
    package static var isBackground: Bool { !isActive.load(ordering: .sequentiallyConsistent) }

    static func becameActive() { isActive.store(true, ordering: .sequentiallyConsistent) }

    /// What the variable says, else the bundle's identifier, else the executable's real path.
    static func identifier(environment: [String: String], bundle: String?, executable: String?) -> String {
        if let named = environment[variable], !named.isEmpty { return named }
        if let bundle, !bundle.isEmpty { return bundle }
        return executable ?? ProcessInfo.processInfo.processName
    }
}
