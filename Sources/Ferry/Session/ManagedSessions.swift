import Dispatch
import FerryURLSession
import Foundation
import Synchronization

/// The sessions of this process, one for each identifier and daemon; a session that was opened stays open.
final class ManagedSessions: Sendable {
    static let shared = ManagedSessions()

    private struct Key: Hashable {
        let daemon: ObjectIdentifier
        let identifier: String
    }

    private let sessions = Mutex<[Key: ManagedSession]>([:])
    private let numbers = Atomic(0)

    /// The session of an identifier in the daemon.
    ///
    /// An identifier that cannot name a session there is made into one that can.
    func session(_ identifier: String, _ parts: ManagerParts) -> ManagedSession {
        let daemon = DaemonService.shared
        return sessions.withLock { sessions in
            let key = Key(daemon: ObjectIdentifier(daemon), identifier: identifier)
            if let session = sessions[key] { return session }
            guard
                let place = SessionPlace(daemon, identifier: identifier)
                    ?? SessionPlace(daemon, identifier: FileNaming.defaultName(for: identifier))
            else { preconditionFailure("A digest is a name.") }
            let session = ManagedSession(place, manager: parts)
            sessions[key] = session
            return session
        }
    }

    /// The sessions whose files go to a cache's folder.
    func sessions(of cache: Cache) -> [ManagedSession] {
        sessions.withLock { Array($0.values) }.filter { $0.cache.downloadFilePath == cache.downloadFilePath }
    }

    /// A session that ends with the process.
    func inProcess(_ parts: ManagerParts) -> ManagedSession {
        let number = numbers.add(1, ordering: .relaxed).newValue
        guard let place = SessionPlace(inProcess: "\(number)") else { preconditionFailure("A number is a name.") }
        return ManagedSession(place, manager: parts)
    }
}

/// What a manager is made of.
struct ManagerParts: Sendable {
    var configuration: SessionConfiguration
    var logger: LoggerBox
    var cache: Cache
    var operationQueue: DispatchQueue
}
