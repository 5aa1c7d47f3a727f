import BackgroundURLSession
import Dispatch
import FerryURLSession
import Foundation
import Synchronization

/// The sessions of this process, one per identifier and daemon. Opened sessions stay open.
final class ManagedSessions: Sendable {
    static let shared = ManagedSessions()

    private struct Key: Hashable {
        let daemon: ObjectIdentifier
        let identifier: String
    }

    private let sessions = Mutex<[Key: ManagedSession]>([:])
    private let numbers = Atomic(0)

    /// Returns the session of an identifier in the daemon.
    ///
    /// An invalid identifier is converted to a valid one.
    func session(_ identifier: String, _ parts: ManagerParts) -> ManagedSession {
        let daemon = DaemonService.shared
        return sessions.withLock { sessions in
            let key = Key(daemon: ObjectIdentifier(daemon), identifier: identifier)
            if let session = sessions[key] { return session }
            guard
                var place = SessionPlace(daemon, identifier: identifier)
                    ?? SessionPlace(daemon, identifier: FileNaming.defaultName(for: identifier))
            else { preconditionFailure("A digest is a name.") }
            place.sendsLaunchEvents = Self.sendsLaunchEvents(parts.base)
            let session = ManagedSession(place, manager: parts)
            sessions[key] = session
            return session
        }
    }

    /// Whether the daemon launches the app for managers with a configuration.
    static func sendsLaunchEvents(_ base: URLSessionConfiguration?) -> Bool { base?.sessionSendsLaunchEvents ?? true }

    /// Returns the sessions that use a cache.
    func sessions(of cache: Cache) -> [ManagedSession] {
        sessions.withLock { Array($0.values) }.filter { $0.cache.downloadFilePath == cache.downloadFilePath }
    }

    /// Creates a session that ends with the process.
    func inProcess(_ parts: ManagerParts) -> ManagedSession {
        let number = numbers.add(1, ordering: .relaxed).newValue
        guard let place = SessionPlace(inProcess: "\(number)") else { preconditionFailure("A number is a name.") }
        return ManagedSession(place, manager: parts)
    }
}

/// The components of a manager.
struct ManagerParts: Sendable {
    var configuration: SessionConfiguration
    var logger: LoggerBox
    var cache: Cache
    var operationQueue: DispatchQueue
    /// The configuration that the manager was created from, if any.
    var base: URLSessionConfiguration?
}
